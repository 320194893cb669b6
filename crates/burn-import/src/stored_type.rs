use crate::file_bytes::FileBytes;
use burn_core::record::RecordError;
use burn_core::tensor::{DType, Shape, TensorData};
#[cfg(any(feature = "pytorch", feature = "safetensors"))]
use burn_ir::Float8;
use std::ops::Range;
#[cfg(any(feature = "pytorch", feature = "npz"))]
use std::sync::Arc;

/// Element types of files: those of tensors, and those that are read as another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredType {
    Plain(DType),
    /// Eight bits, read as `f32`.
    #[cfg(any(feature = "pytorch", feature = "safetensors"))]
    Float8(Float8),
}

impl StoredType {
    /// Returns the bytes of an element.
    #[cfg(any(feature = "npz", feature = "pytorch", feature = "safetensors"))]
    pub fn size(self) -> usize {
        match self {
            StoredType::Plain(dtype) => dtype.size(),
            #[cfg(any(feature = "pytorch", feature = "safetensors"))]
            StoredType::Float8(_) => 1,
        }
    }

    /// Returns the dtype of the data after reading.
    #[cfg(any(feature = "pytorch", feature = "safetensors"))]
    pub fn dtype(self) -> DType {
        match self {
            StoredType::Plain(dtype) => dtype,
            StoredType::Float8(_) => DType::F32,
        }
    }

    /// Decodes elements from a range of a file, without a copy where the stored form is the tensor's.
    pub fn decode_part(
        self,
        file: &FileBytes,
        range: Range<u64>,
        shape: Shape,
    ) -> Result<TensorData, String> {
        let bytes = file.part(range.clone()).ok_or("truncated")?;
        match self {
            StoredType::Plain(dtype) if dtype != DType::Bool => {
                let range = range.start as usize..range.end as usize;
                TensorData::from_shared(file.shared(), range, shape, dtype).map_err(|error| error.to_string())
            }
            _ => self.decode(bytes, shape),
        }
    }

    /// Decodes little-endian elements as [`decode`](Self::decode) does, and keeps their memory where it can.
    #[cfg(any(feature = "pytorch", feature = "npz"))]
    pub fn decode_owned(self, bytes: Vec<u8>, shape: Shape) -> Result<TensorData, String> {
        match self {
            StoredType::Plain(dtype) if dtype != DType::Bool => {
                let range = 0..bytes.len();
                TensorData::from_shared(Arc::new(bytes), range, shape, dtype)
                    .map_err(|error| error.to_string())
            }
            _ => self.decode(&bytes, shape),
        }
    }

    /// Decodes little-endian elements; any byte but 0 is true, as in PyTorch.
    pub fn decode(self, bytes: &[u8], shape: Shape) -> Result<TensorData, String> {
        match self {
            StoredType::Plain(DType::Bool) => {
                let values: Vec<bool> = bytes.iter().map(|byte| *byte != 0).collect();
                check_count(values.len(), &shape)?;
                Ok(TensorData::new(values, shape))
            }
            StoredType::Plain(dtype) => {
                TensorData::from_bytes(bytes, shape, dtype).map_err(|error| error.to_string())
            }
            #[cfg(any(feature = "pytorch", feature = "safetensors"))]
            StoredType::Float8(format) => {
                let values: Vec<f32> = bytes.iter().map(|code| format.decode(*code)).collect();
                check_count(values.len(), &shape)?;
                Ok(TensorData::new(values, shape))
            }
        }
    }
}

fn check_count(found: usize, shape: &Shape) -> Result<(), String> {
    match shape.checked_num_elements() == Some(found) {
        true => Ok(()),
        false => Err(format!("{found} bytes are not the elements of shape {shape:?}")),
    }
}

/// Swaps the byte order of elements of `size` bytes.
#[cfg(feature = "npz")]
pub fn swap_bytes(bytes: &mut [u8], size: usize) {
    bytes.chunks_mut(size).for_each(<[u8]>::reverse);
}

/// Computes the bytes of a tensor; `None` on overflow.
#[cfg(any(feature = "npz", feature = "safetensors"))]
pub fn byte_size(shape: &[u64], element: usize) -> Option<u64> {
    shape.iter().try_fold(element as u64, |bytes, &size| bytes.checked_mul(size))
}

/// Creates a shape of these sizes, unless their product overflows. A size of 0 counts as 1 in that product,
/// since strides must fit too.
pub fn checked_shape(sizes: &[u64], element: usize) -> Option<Shape> {
    const MOST_DIMS: usize = 64;
    let nonzero = sizes.iter().try_fold(element as u64, |bytes, &size| bytes.checked_mul(size.max(1)))?;
    if nonzero > isize::MAX as u64 || sizes.len() > MOST_DIMS {
        return None;
    }
    let sizes: Option<Vec<usize>> = sizes.iter().map(|size| usize::try_from(*size).ok()).collect();
    sizes.map(Shape::from)
}

/// Creates a format error for the file at `path`.
pub fn format_error(format: &'static str, path: &str, cause: impl Into<String>) -> RecordError {
    RecordError::Format { recorder: format, cause: cause.into() }.in_file(path)
}
