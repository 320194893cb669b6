use crate::file_error::file_error;
use crate::{FileFormat, LoadArgs};
use burn_core::record::RecordError;
use burn_core::weights::{TensorSource, Weights};
use burn_io::open_file;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Opens a file of any format that this crate was compiled with; the format is found by the first bytes and
/// the name.
///
/// # Errors
/// The file cannot be read, is of no known format, or is damaged.
pub fn open(args: impl Into<LoadArgs>) -> Result<Weights, RecordError> {
    let args = args.into();
    let (source, format) = open_source(args.path())?;
    args.select(source, format)
}

/// Opens a file as [`open`] does: its tensors under the names in the file, and its format.
///
/// # Errors
/// As [`open`].
pub fn open_source(path: &Path) -> Result<(Arc<dyn TensorSource>, FileFormat), RecordError> {
    let mut start = [0; 16];
    let count = open_file(path)
        .and_then(|mut file| file.read(&mut start))
        .map_err(|cause| file_error(path, cause))?;
    open_by_start(path, &start[..count])
}

fn open_by_start(path: &Path, start: &[u8]) -> Result<(Arc<dyn TensorSource>, FileFormat), RecordError> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is_zip = start.starts_with(b"PK");
    #[cfg(feature = "gguf")]
    if start.starts_with(b"GGUF") {
        return Ok((Arc::new(crate::gguf::GgufFile::open(path)?), FileFormat::Gguf));
    }
    #[cfg(feature = "npz")]
    if start.starts_with(b"\x93NUMPY") || (is_zip && name.ends_with(".npz")) {
        return Ok((Arc::new(crate::npz::NpzFile::open(path)?), FileFormat::Npz));
    }
    #[cfg(feature = "safetensors")]
    if name.ends_with(".safetensors") || name.ends_with(".index.json") || start.get(8) == Some(&b'{') {
        let file = crate::safetensors::SafetensorsFile::open(path)?;
        let format = file.format();
        return Ok((Arc::new(file), format));
    }
    #[cfg(feature = "pytorch")]
    if is_zip
        || start.starts_with(&[0x80])
        || [".pt", ".pth", ".bin", ".ckpt"].iter().any(|end| name.ends_with(end))
    {
        return Ok((Arc::new(crate::pytorch::PyTorchFile::open(path)?), FileFormat::PyTorch));
    }
    let known = "a file of torch.save, safetensors (also an index of several), GGUF, .npy or .npz";
    let cause = if name.is_empty() || is_zip || !start.is_empty() {
        format!("unknown format; expected {known}, from a crate with the feature of the format")
    } else {
        format!("the file is empty; expected {known}")
    };
    Err(file_error(path, cause))
}
