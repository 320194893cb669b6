use crate::Names;
use crate::inspect::{Format, OpenedFile, open_args};
use burn_core::record::RecordError;
use burn_core::tensor::TensorData;
use burn_import::{FileFormat, npz, safetensors};
use std::path::PathBuf;

/// Writes the tensors of a file, as they are, in another format.
#[derive(clap::Args)]
pub struct Convert {
    #[command(flatten)]
    names: Names,
    /// The file to be written: its ending, `.safetensors` or `.npz`, is the format.
    output: PathBuf,
}

impl Convert {
    pub fn run(self, format: Format) -> Result<String, RecordError> {
        let OpenedFile { tensors, .. } = OpenedFile::open(&self.names, format)?;
        let weights = open_args(&self.names).select(tensors, FileFormat::PyTorch)?;
        let read = weights
            .tensors()
            .iter()
            .map(|tensor| Ok((tensor.name().to_string(), weights.read_tensor(tensor)?)));
        let tensors = read.collect::<Result<Vec<(String, TensorData)>, RecordError>>()?;
        let count = tensors.len();
        match self.output.extension().and_then(|extension| extension.to_str()) {
            Some("safetensors") => safetensors::save_tensors(tensors, &self.output)?,
            Some("npz") => npz::save_npz(tensors, &self.output)?,
            _ => {
                let path = self.output.display().to_string();
                let cause = "expected a name that ends in .safetensors or .npz".to_string();
                return Err(RecordError::File { path, cause });
            }
        }
        Ok(format!("{count} tensors written to {}\n", self.output.display()))
    }
}
