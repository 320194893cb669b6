//! Element types of PyTorch.

use crate::stored_type::StoredType;
use burn_core::tensor::DType;
use burn_ir::Float8;

/// Returns the element type of PyTorch named `name`, such as `float32`.
pub fn dtype(name: &str) -> Result<StoredType, String> {
    Ok(StoredType::Plain(match name {
        "float64" | "double" => DType::F64,
        "float32" | "float" => DType::F32,
        "float16" | "half" => DType::F16,
        "bfloat16" => DType::BF16,
        "int64" | "long" => DType::I64,
        "int32" | "int" => DType::I32,
        "int16" | "short" => DType::I16,
        "int8" => DType::I8,
        "uint64" => DType::U64,
        "uint32" => DType::U32,
        "uint16" => DType::U16,
        "uint8" => DType::U8,
        "bool" => DType::Bool,
        "float8_e4m3fn" => return Ok(StoredType::Float8(Float8::E4M3)),
        "float8_e5m2" => return Ok(StoredType::Float8(Float8::E5M2)),
        other => {
            return Err(format!(
                "tensors of torch.{other} have no counterpart here; convert them before they are saved"
            ));
        }
    }))
}

/// Returns the element type of the storage class `name`; `None` for untyped bytes, whose tensors carry their
/// type.
pub fn storage_type(name: &str) -> Option<Result<Option<StoredType>, String>> {
    let dtype_name = match name {
        "DoubleStorage" => "float64",
        "FloatStorage" => "float32",
        "HalfStorage" => "float16",
        "BFloat16Storage" => "bfloat16",
        "LongStorage" => "int64",
        "IntStorage" => "int32",
        "ShortStorage" => "int16",
        "CharStorage" => "int8",
        "ByteStorage" => "uint8",
        "BoolStorage" => "bool",
        "ComplexFloatStorage" => "complex64",
        "ComplexDoubleStorage" => "complex128",
        "QInt8Storage" => "qint8",
        "QUInt8Storage" => "quint8",
        "QInt32Storage" => "qint32",
        "UntypedStorage" => return Some(Ok(None)),
        _ => return None,
    };
    Some(dtype(dtype_name).map(Some))
}
