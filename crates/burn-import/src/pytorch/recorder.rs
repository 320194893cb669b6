use super::open;
use crate::{FileRecorder, LoadArgs, RecorderFormat};
use burn_core::record::{FullPrecisionSettings, Node, RecordError};
use burn_core::weights::Weights;

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
/// let args = LoadArgs::new("net.pt".into()).with_key_remap("conv\\.(.*)", "$1");
/// let recorder = PyTorchFileRecorder::<FullPrecisionSettings>::default();
/// let record: NetRecord<NdArray> = recorder.load(args, &device)?;
/// // Once converted, the file of PyTorch is not needed any more.
/// NamedMpkFileRecorder::<FullPrecisionSettings>::new().record(record, "net".into())?;
/// # Ok::<(), burn::record::RecordError>(())
/// ```
pub type PyTorchFileRecorder<S = FullPrecisionSettings> = FileRecorder<PyTorchFormat, S>;

/// Files of `torch.save`, which are read and not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PyTorchFormat;

impl RecorderFormat for PyTorchFormat {
    fn open(args: LoadArgs) -> Result<Weights, RecordError> {
        open(args)
    }

    /// # Errors
    /// Always: use [`safetensors::save`](crate::safetensors::save), whose files PyTorch reads.
    fn save(_record: Node, args: &LoadArgs) -> Result<(), RecordError> {
        let path = args.path().display().to_string();
        let cause = "files of torch.save are not written; PyTorch reads what `safetensors::save` writes";
        Err(RecordError::File { path, cause: cause.to_string() })
    }
}
