use super::file::{BURN, FORMAT};
use crate::PyTorchLayers;
use crate::file_error::file_error;
use crate::stored_type::format_error;
use burn_core::module::Module;
use burn_core::record::RecordError;
use burn_core::tensor::{Backend, DType, TensorData};
use burn_core::weights::collect;
use burn_io::write_atomic;
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use std::collections::HashMap;
use std::path::Path;

/// Names and layouts of a file, as its metadata state them.
#[derive(Clone, Copy)]
pub enum Format {
    PyTorch,
    Burn,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Format::PyTorch => "pt",
            Format::Burn => BURN,
        }
    }
}

/// Saves the parameters of `module` as a safetensors file under the names and in the layouts of PyTorch: what
/// `safetensors.torch.load_file` returns is the state dict of the same layers of `torch.nn`. Quantized
/// parameters are dequantized.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{LayerNormConfig, LinearConfig, Sequential};
/// use burn_import::safetensors;
///
/// let device = Default::default();
/// let model = Sequential::new((
///     LinearConfig::new(2, 3).init::<NdArray>(&device),
///     LayerNormConfig::new(3).init::<NdArray>(&device),
/// ));
/// # let folder = std::env::temp_dir().join(format!("burn-safetensors-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let path = folder.join("model.safetensors");
/// safetensors::save(&model, &path)?;
///
/// let names: Vec<String> = safetensors::open(&path)?.tensors().iter().map(|tensor| tensor.name().to_string()).collect();
/// assert_eq!(names, ["0.weight", "0.bias", "1.weight", "1.bias"]);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), burn::record::RecordError>(())
/// ```
///
/// # Errors
/// The file cannot be written, or the device of a parameter failed.
pub fn save<B: Backend, M: Module<B>>(module: &M, path: impl AsRef<Path>) -> Result<(), RecordError> {
    write_file(path.as_ref(), collect(module, Some(&PyTorchLayers))?, Format::PyTorch)
}

/// Saves tensors as a safetensors file, as they are.
///
/// # Errors
/// The file cannot be written, or two tensors have the same name.
pub fn save_tensors(tensors: Vec<(String, TensorData)>, path: impl AsRef<Path>) -> Result<(), RecordError> {
    write_file(path.as_ref(), tensors, Format::PyTorch)
}

pub fn write_file(
    path: &Path,
    mut tensors: Vec<(String, TensorData)>,
    format: Format,
) -> Result<(), RecordError> {
    // Wide elements first, so that all of them are aligned.
    tensors.sort_by_key(|(_, data)| std::cmp::Reverse(data.dtype.size()));
    let header =
        header(&tensors, format).map_err(|cause| format_error(FORMAT, &path.display().to_string(), cause))?;
    let written = write_atomic(path, &mut |out| {
        out.write_all(&(header.len() as u64).to_le_bytes())?;
        out.write_all(&header)?;
        tensors.iter().try_for_each(|(_, data)| out.write_all(data.as_bytes()))
    });
    written.map_err(|cause| file_error(path, cause))
}

/// The table of the file, filled up so that the elements after it are aligned.
fn header(tensors: &[(String, TensorData)], format: Format) -> Result<Vec<u8>, String> {
    let mut names: Vec<&str> = tensors.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    if let Some([name, _]) = names.array_windows().find(|[a, b]| a == b) {
        return Err(format!("two tensors are called `{name}`"));
    }
    let mut end = 0;
    let info = |(name, data): &(String, TensorData)| {
        let start = end;
        end += data.as_bytes().len();
        let shape = data.shape.to_vec();
        (name.clone(), TensorInfo { dtype: stored_as(data.dtype), shape, data_offsets: (start, end) })
    };
    let infos = tensors.iter().map(info).collect();
    let about = HashMap::from([("format".to_string(), format.name().to_string())]);
    let table = Metadata::new(Some(about), infos).map_err(|error| error.to_string())?;
    let mut header = serde_json::to_vec(&table).map_err(|error| error.to_string())?;
    header.resize(header.len().next_multiple_of(8), b' ');
    Ok(header)
}

fn stored_as(dtype: DType) -> Dtype {
    match dtype {
        DType::F64 => Dtype::F64,
        DType::F32 => Dtype::F32,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::I64 => Dtype::I64,
        DType::I32 => Dtype::I32,
        DType::I16 => Dtype::I16,
        DType::I8 => Dtype::I8,
        DType::U64 => Dtype::U64,
        DType::U32 => Dtype::U32,
        DType::U16 => Dtype::U16,
        DType::U8 => Dtype::U8,
        DType::Bool => Dtype::BOOL,
    }
}
