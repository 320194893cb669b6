use crate::record::RecordError;
use crate::tensor::quantization::PackedBlocks;
use crate::tensor::{DType, Shape, TensorData};
use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::Debug;

/// Name, shape and element type of a tensor that was not read yet.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorInfo {
    /// Name in the file, `encoder.layers.0.weight`.
    pub name: String,
    pub shape: Shape,
    /// Element type of the data that [`TensorSource::read`] returns.
    pub dtype: DType,
    /// Element type in the file, in the words of its format: `F8_E4M3`, `Q4_K`.
    pub stored_as: Cow<'static, str>,
}

impl TensorInfo {
    /// Describes a tensor that is read as it is stored; its type is shown in upper case, `F32`.
    pub fn new(name: impl Into<String>, shape: impl Into<Shape>, dtype: DType) -> Self {
        let stored_as = match dtype {
            DType::F64 => "F64",
            DType::F32 => "F32",
            DType::F16 => "F16",
            DType::BF16 => "BF16",
            DType::I64 => "I64",
            DType::I32 => "I32",
            DType::I16 => "I16",
            DType::I8 => "I8",
            DType::U64 => "U64",
            DType::U32 => "U32",
            DType::U16 => "U16",
            DType::U8 => "U8",
            DType::Bool => "Bool",
        };
        TensorInfo { name: name.into(), shape: shape.into(), dtype, stored_as: Cow::Borrowed(stored_as) }
    }
}

/// Source of named tensors that are read one at a time, such as those of a file.
pub trait TensorSource: Debug + Send + Sync {
    /// Returns the name of the source in messages: the path of a file.
    fn name(&self) -> String;

    /// Returns the tensors, in the order of the source.
    fn tensors(&self) -> &[TensorInfo];

    /// Reads the tensor `index` of [`tensors`](Self::tensors).
    ///
    /// # Errors
    /// The bytes of the tensor are damaged or cannot be read.
    fn read(&self, index: usize) -> Result<TensorData, RecordError>;

    /// Reads the tensor `index` without dequantizing it, if it is stored as a matrix in a
    /// [`BlockFormat`]: rows along its last dimension, not transposed, of dtype `F32`. A source
    /// without such tensors returns none.
    ///
    /// [`BlockFormat`]: crate::tensor::quantization::BlockFormat
    ///
    /// # Errors
    /// The bytes of the tensor are damaged or cannot be read.
    fn read_packed(&self, index: usize) -> Result<Option<PackedBlocks<TensorData>>, RecordError> {
        let _ = index;
        Ok(None)
    }
}
