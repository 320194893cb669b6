use super::header::Header;
use crate::file_error::file_error;
use burn_core::record::RecordError;
use burn_core::tensor::{DType, TensorData};
use burn_io::write_atomic;
use std::io::{self, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Saves a tensor as an `.npy` file, which `numpy.load` reads. NumPy has no `bfloat16`; such numbers are
/// written as `float32`.
///
/// ```
/// use burn::tensor::TensorData;
/// use burn_import::npz;
///
/// # let folder = std::env::temp_dir().join(format!("burn-npy-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let path = folder.join("matrix.npy");
/// npz::save_npy(TensorData::from([[1.0_f32, 2.0], [3.0, 4.0]]), &path)?;
/// let arrays = npz::open(&path)?;
/// assert_eq!(arrays.read("matrix").unwrap()?, TensorData::from([[1.0_f32, 2.0], [3.0, 4.0]]));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), burn::record::RecordError>(())
/// ```
///
/// # Errors
/// The file cannot be written.
pub fn save_npy(data: TensorData, path: impl AsRef<Path>) -> Result<(), RecordError> {
    let path = path.as_ref();
    let data = writable(data);
    write_atomic(path, &mut |out| write_array(&data, out)).map_err(|cause| file_error(path, cause))
}

/// Saves tensors as an `.npz` file, which `numpy.load` reads.
///
/// # Errors
/// The file cannot be written, or two tensors have the same name.
pub fn save_npz(tensors: Vec<(String, TensorData)>, path: impl AsRef<Path>) -> Result<(), RecordError> {
    /// Entries of this size and more need the longer form of their sizes.
    const LARGE: usize = u32::MAX as usize - (1 << 20);
    let path = path.as_ref();
    let tensors: Vec<_> = tensors.into_iter().map(|(name, data)| (name, writable(data))).collect();
    let written = write_atomic(path, &mut |out| {
        let mut zip = ZipWriter::new_stream(out);
        for (name, data) in &tensors {
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Stored)
                .large_file(data.as_bytes().len() >= LARGE);
            zip.start_file(format!("{name}.npy"), options).map_err(io::Error::other)?;
            write_array(data, &mut zip)?;
        }
        zip.finish().map(drop).map_err(io::Error::other)
    });
    written.map_err(|cause| file_error(path, cause))
}

/// The tensor in a type that NumPy has.
fn writable(data: TensorData) -> TensorData {
    if data.dtype == DType::BF16 { data.convert_dtype(DType::F32) } else { data }
}

fn write_array(data: &TensorData, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&Header::write(data.dtype, &data.shape))?;
    out.write_all(data.as_bytes())
}
