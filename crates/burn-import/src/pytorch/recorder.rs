use super::open;
use crate::{LoadArgs, recorder};
use burn_core::record::{FullPrecisionSettings, Node, PrecisionSettings, Record, RecordError, Recorder};
use burn_core::tensor::Backend;
use burn_core::weights::LoadReport;
use std::marker::PhantomData;

/// Loads records from files of `torch.save`. Nothing is saved in this format.
///
/// ```no_run
/// use burn::backend::NdArray;
/// use burn::module::Module;
/// use burn::nn::conv::{Conv2d, Conv2dConfig};
/// use burn::record::{FullPrecisionSettings, NamedMpkFileRecorder, Recorder};
/// use burn::tensor::Backend;
/// use burn_import::pytorch::{LoadArgs, PyTorchFileRecorder};
///
/// #[derive(Module, Debug)]
/// struct Net<B: Backend> {
///     conv1: Conv2d<B>,
/// }
///
/// let device = Default::default();
/// let args = LoadArgs::new("net.pt").with_key_remap("conv\\.(.*)", "$1");
/// let recorder = PyTorchFileRecorder::<FullPrecisionSettings>::default();
/// let record: NetRecord<NdArray> = recorder.load(args, &device)?;
/// // Once converted, the file of PyTorch is not needed any more.
/// NamedMpkFileRecorder::<FullPrecisionSettings>::new().record(record, "net".into())?;
/// # Ok::<(), burn::record::RecordError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PyTorchFileRecorder<S = FullPrecisionSettings>(PhantomData<S>);

impl<S: PrecisionSettings> PyTorchFileRecorder<S> {
    /// Returns the recorder.
    pub fn new() -> Self {
        PyTorchFileRecorder(PhantomData)
    }

    /// Loads a record, and says which tensors of the file were used.
    ///
    /// # Errors
    /// As [`Recorder::load`].
    pub fn load_with_report<B: Backend, R: Record<B>>(
        &self,
        args: impl Into<LoadArgs>,
        device: &B::Device,
    ) -> Result<(R, LoadReport), RecordError> {
        let args = args.into();
        recorder::load_record(&open(args.clone())?, &args, device)
    }
}

impl<B: Backend, S: PrecisionSettings> Recorder<B> for PyTorchFileRecorder<S> {
    type Settings = S;
    type RecordArgs = LoadArgs;
    type RecordOutput = ();
    type LoadArgs = LoadArgs;

    /// # Errors
    /// Always: use [`safetensors::save`](crate::safetensors::save), whose files PyTorch reads.
    fn save_node(&self, _node: Node, args: LoadArgs) -> Result<(), RecordError> {
        let path = args.path().display().to_string();
        let cause = "files of torch.save are not written; PyTorch reads what `safetensors::save` writes";
        Err(RecordError::File { path, cause: cause.to_string() })
    }

    /// All tensors under their names and in the layouts of the file.
    fn load_node(&self, args: LoadArgs) -> Result<Node, RecordError> {
        open(args)?.read_all()
    }

    fn describe(args: &LoadArgs) -> Option<String> {
        Some(args.path().display().to_string())
    }

    fn load<R: Record<B>>(&self, args: LoadArgs, device: &B::Device) -> Result<R, RecordError> {
        self.load_with_report::<B, R>(args, device).map(|(record, _)| record)
    }
}
