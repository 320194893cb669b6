use super::{TensorInfo, TensorSource, collect_record};
use crate::record::{Node, RecordError};
use crate::tensor::TensorData;
use alloc::string::String;
use alloc::vec::Vec;

/// Source of the tensors of a record, so that it can be loaded with a report, or in part.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::Module;
/// use burn::nn::LinearConfig;
/// use burn::record::{IntoNode, NamedMpkFileRecorder, FullPrecisionSettings, Recorder};
/// use burn::weights::{RecordSource, Strictness, Weights};
///
/// let device = Default::default();
/// # let folder = std::env::temp_dir().join(format!("burn-record-source-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let (path, recorder) = (folder.join("linear"), NamedMpkFileRecorder::<FullPrecisionSettings>::new());
/// LinearConfig::new(2, 3).with_bias(false).init::<NdArray>(&device).save_file(&path, &recorder)?;
///
/// let record = Recorder::<NdArray>::load_node(&recorder, path.clone())?;
/// let weights = Weights::new(RecordSource::new(path.display().to_string(), record)?);
/// let with_bias = LinearConfig::new(2, 3).init::<NdArray>(&device);
/// let (linear, report) = weights.load_into(with_bias, Strictness::Lenient)?;
/// assert_eq!(report.to_string(), "1 of 2 parameters loaded\n  missing: bias");
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), burn::record::RecordError>(())
/// ```
#[derive(Debug)]
pub struct RecordSource {
    name: String,
    infos: Vec<TensorInfo>,
    tensors: Vec<TensorData>,
}

impl RecordSource {
    /// Creates a source of the tensors of `record`, named `name` in messages.
    ///
    /// # Errors
    /// The record holds something else than tensors, such as the state of an optimizer or quantized
    /// parameters.
    pub fn new(name: impl Into<String>, record: Node) -> Result<Self, RecordError> {
        let name = name.into();
        let named = collect_record(record).map_err(|error| error.in_file(name.clone()))?;
        let infos = named.iter().map(|(name, data)| TensorInfo::new(name, data.shape.clone(), data.dtype));
        Ok(RecordSource {
            name,
            infos: infos.collect(),
            tensors: named.into_iter().map(|(_, data)| data).collect(),
        })
    }
}

impl TensorSource for RecordSource {
    fn name(&self) -> String {
        self.name.clone()
    }
    fn tensors(&self) -> &[TensorInfo] {
        &self.infos
    }
    fn read(&self, index: usize) -> Result<TensorData, RecordError> {
        Ok(self.tensors[index].clone())
    }
}
