use super::open;
use super::write::{Format, write_file};
use crate::{FileRecorder, LoadArgs, RecorderFormat};
use burn_core::record::{FullPrecisionSettings, Node, RecordError};
use burn_core::weights::{Weights, collect_record};

/// Saves records as safetensors, and loads them from safetensors of any origin.
///
/// Saved files have the names and layouts of this framework, and their metadata say so; identifiers of
/// parameters are not kept. [`save`](super::save) writes those of PyTorch.
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
pub type SafetensorsFileRecorder<S = FullPrecisionSettings> = FileRecorder<SafetensorsFormat, S>;

/// Safetensors, which are read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SafetensorsFormat;

impl RecorderFormat for SafetensorsFormat {
    fn open(args: LoadArgs) -> Result<Weights, RecordError> {
        open(args)
    }

    fn save(record: Node, args: &LoadArgs) -> Result<(), RecordError> {
        let tensors =
            collect_record(record).map_err(|error| error.in_file(args.path().display().to_string()))?;
        write_file(args.path(), tensors, Format::Burn)
    }
}
