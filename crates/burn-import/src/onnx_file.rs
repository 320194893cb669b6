use burn_core::record::RecordError;
use burn_core::tensor::TensorData;
use burn_core::weights::{TensorInfo, TensorSource};
use burn_onnx::OnnxError;
use burn_onnx::graph::{Constant, Model};
use std::path::Path;

/// Initializers of an ONNX model: its parameters, by name.
///
/// ```no_run
/// use burn::weights::{TensorSource, Weights};
/// use burn_import::OnnxFile;
///
/// let file = OnnxFile::open("net.onnx")?;
/// for tensor in file.tensors() {
///     println!("{} {:?}", tensor.name, tensor.shape);
/// }
/// let weights = Weights::new(file);
/// # Ok::<(), burn::record::RecordError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnnxFile {
    model: Model,
    infos: Vec<TensorInfo>,
}

impl OnnxFile {
    /// Reads a model with its weights, which may lie in files beside it.
    ///
    /// # Errors
    /// The file cannot be read, or is no ONNX model.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let failed = |error: OnnxError| {
            let cause = match error {
                OnnxError::Read { source, .. } => source.to_string(),
                OnnxError::Malformed { reason, .. } => format!("not a readable ONNX model: {reason}"),
                other => other.to_string(),
            };
            RecordError::File { path: path.display().to_string(), cause }
        };
        let model = Model::from_file(path).map_err(failed)?;
        let info = |Constant { name, data }: &Constant| {
            TensorInfo::new(name.clone(), data.shape.clone(), data.dtype)
        };
        let infos = model.graph.initializers.iter().map(info).collect();
        Ok(OnnxFile { model, infos })
    }

    /// Returns the model of the initializers.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

impl TensorSource for OnnxFile {
    fn name(&self) -> String {
        self.model.origin.clone()
    }
    fn tensors(&self) -> &[TensorInfo] {
        &self.infos
    }
    fn read(&self, index: usize) -> Result<TensorData, RecordError> {
        Ok((*self.model.graph.initializers[index].data).clone())
    }
}
