use super::open;
use super::write::{Format, write_file};
use crate::{LoadArgs, recorder};
use burn_core::record::{FullPrecisionSettings, Node, PrecisionSettings, Record, RecordError, Recorder};
use burn_core::tensor::Backend;
use burn_core::weights::{LoadReport, collect_record};
use std::marker::PhantomData;

/// Saves records as safetensors, and loads them from safetensors of any origin.
///
/// Saved files have the names and layouts of this framework, and their metadata say so; identifiers of parameters are not kept.
/// [`save`](super::save) writes those of PyTorch.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::Module;
/// use burn::nn::{LinearConfig, LinearRecord};
/// use burn::record::{FullPrecisionSettings, Recorder};
/// use burn_import::safetensors::SafetensorsFileRecorder;
///
/// let device = Default::default();
/// # let folder = std::env::temp_dir().join(format!("burn-safetensors-recorder-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let path = folder.join("linear.safetensors");
/// let recorder = SafetensorsFileRecorder::<FullPrecisionSettings>::new();
/// let linear = LinearConfig::new(2, 3).init::<NdArray>(&device);
/// Recorder::<NdArray>::record(&recorder, linear.clone().into_record(), (&path).into())?;
///
/// let record: LinearRecord<NdArray> = recorder.load((&path).into(), &device)?;
/// let loaded = LinearConfig::new(2, 3).init::<NdArray>(&device).load_record(record);
/// assert_eq!(loaded.weight.to_data(), linear.weight.to_data());
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), burn::record::RecordError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SafetensorsFileRecorder<S = FullPrecisionSettings>(PhantomData<S>);

impl<S: PrecisionSettings> SafetensorsFileRecorder<S> {
    /// Returns the recorder.
    pub fn new() -> Self {
        SafetensorsFileRecorder(PhantomData)
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

impl<B: Backend, S: PrecisionSettings> Recorder<B> for SafetensorsFileRecorder<S> {
    type Settings = S;
    type RecordArgs = LoadArgs;
    type RecordOutput = ();
    type LoadArgs = LoadArgs;

    fn save_node(&self, node: Node, args: LoadArgs) -> Result<(), RecordError> {
        let tensors =
            collect_record(node).map_err(|error| error.in_file(args.path().display().to_string()))?;
        write_file(args.path(), tensors, Format::Burn)
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
