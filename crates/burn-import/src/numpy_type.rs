use burn_core::tensor::DType;

/// Returns the dtype of a NumPy type name, without the byte order character: `f4`, `i8`, `b1`.
pub fn numpy_dtype(name: &str) -> Option<DType> {
    Some(match name {
        "f8" => DType::F64,
        "f4" => DType::F32,
        "f2" => DType::F16,
        "i8" => DType::I64,
        "i4" => DType::I32,
        "i2" => DType::I16,
        "i1" => DType::I8,
        "u8" => DType::U64,
        "u4" => DType::U32,
        "u2" => DType::U16,
        "u1" => DType::U8,
        "b1" | "?" => DType::Bool,
        _ => return None,
    })
}
