use super::precision::{self, PrecisionSettings};
use super::{IntoNode, KeyPath, Node, Record, RecordError};
use crate::tensor::Backend;
use core::fmt::Debug;

/// Recorder, which saves and loads records.
///
/// A recorder only has to keep a tree ([`save_node`](Recorder::save_node),
/// [`load_node`](Recorder::load_node)).
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Initializer, Module, Param};
/// use burn::record::{CompactRecorder, Recorder};
/// use burn::tensor::{Backend, Tensor};
///
/// #[derive(Module, Debug)]
/// struct Model<B: Backend> {
///     weight: Param<Tensor<B, 2>>,
/// }
///
/// # let folder = std::env::temp_dir().join(format!("burn-recorder-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let (device, path) = (Default::default(), folder.join("model"));
/// let model: Model<NdArray> = Model { weight: Initializer::Ones.init([2, 2], &device) };
/// let recorder = CompactRecorder::new();
/// recorder.record(model.clone().into_record(), path.clone()).unwrap();
///
/// let record: ModelRecord<NdArray> = recorder.load(path.clone(), &device).unwrap();
/// let model = model.load_record(record);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
pub trait Recorder<B: Backend>: Clone + Debug + Default + Send + Sync {
    /// Precision of the saved tensors.
    type Settings: PrecisionSettings;
    /// Destination of saving: a path without the extension, or nothing.
    type RecordArgs: Clone + Debug;
    /// Result of saving: nothing, or the bytes.
    type RecordOutput;
    /// Source of loading: a path without the extension, or the bytes.
    type LoadArgs: Clone + Debug;

    /// Keeps a tree as it is.
    ///
    /// # Errors
    /// The file cannot be written; an older one of the same name is then as it was.
    fn save_node(&self, node: Node, args: Self::RecordArgs) -> Result<Self::RecordOutput, RecordError>;

    /// Loads the saved tree.
    ///
    /// # Errors
    /// There is no such file, it is of another recorder, or it is damaged.
    fn load_node(&self, args: Self::LoadArgs) -> Result<Node, RecordError>;

    /// Returns the name of the source for error messages.
    fn describe(_args: &Self::LoadArgs) -> Option<alloc::string::String> {
        None
    }

    /// Saves `record`, its tensors in the precision of the recorder.
    ///
    /// # Errors
    /// As [`save_node`](Recorder::save_node); also when an integer does not fit the precision.
    fn record<R: IntoNode>(
        &self,
        record: R,
        args: Self::RecordArgs,
    ) -> Result<Self::RecordOutput, RecordError> {
        self.save_node(precision::rounded::<Self::Settings, R>(record)?, args)
    }

    /// Loads a record, its tensors in the precision of the backend.
    ///
    /// # Errors
    /// As [`load_node`](Recorder::load_node); also when the record is of another type: the error lists the
    /// keys that are missing, unexpected or of another type.
    fn load<R: Record<B>>(&self, args: Self::LoadArgs, device: &B::Device) -> Result<R, RecordError> {
        let place = Self::describe(&args);
        let node = self.load_node(args)?;
        R::from_node(node, &KeyPath::ROOT, device).map_err(|error| in_place(error, place))
    }
}

pub(crate) fn in_place(error: RecordError, place: Option<alloc::string::String>) -> RecordError {
    match place {
        Some(path) => error.in_file(path),
        None => error,
    }
}

/// Recorder that keeps records in files.
#[cfg(feature = "std")]
pub trait FileRecorder<B: Backend>:
    Recorder<B, RecordArgs = std::path::PathBuf, RecordOutput = (), LoadArgs = std::path::PathBuf>
{
    /// Returns the file extension without its first dot: `mpk.gz`.
    fn file_extension() -> &'static str;
}
