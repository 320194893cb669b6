//! Element types that LibTorch stores, and those that stand for the ones that it has no kernels for.

use burn_backend::DType;
use tch::{Kind, TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// The element type that LibTorch stores elements of `dtype` as. `u16` and `u32` go through the next wider
/// type, the bits of a `u64` through an `i64`.
pub fn stored(dtype: DType) -> Kind {
    match dtype {
        DType::F64 => Kind::Double,
        DType::F32 => Kind::Float,
        DType::F16 => Kind::Half,
        DType::BF16 => Kind::BFloat16,
        DType::I64 | DType::U64 | DType::U32 => Kind::Int64,
        DType::I32 | DType::U16 => Kind::Int,
        DType::I16 => Kind::Int16,
        DType::I8 => Kind::Int8,
        DType::U8 => Kind::Uint8,
        DType::Bool => Kind::Bool,
    }
}

/// The largest value of a type that is stored as a wider one, whose results are cut to its bits.
pub fn low_bits(dtype: DType) -> Option<i64> {
    match dtype {
        DType::U32 => Some(u32::MAX.into()),
        DType::U16 => Some(u16::MAX.into()),
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::U64 | DType::U8 | DType::Bool => None,
        DType::I64 | DType::I32 | DType::I16 | DType::I8 => None,
    }
}

/// The element type of a tensor that comes from LibTorch, if there is one here.
pub fn own(kind: Kind) -> Option<DType> {
    match kind {
        Kind::Double => Some(DType::F64),
        Kind::Float => Some(DType::F32),
        Kind::Half => Some(DType::F16),
        Kind::BFloat16 => Some(DType::BF16),
        Kind::Int64 => Some(DType::I64),
        Kind::Int => Some(DType::I32),
        Kind::Int16 => Some(DType::I16),
        Kind::Int8 => Some(DType::I8),
        Kind::Uint8 => Some(DType::U8),
        Kind::Bool => Some(DType::Bool),
        Kind::ComplexHalf | Kind::ComplexFloat | Kind::ComplexDouble => None,
        Kind::QInt8 | Kind::QUInt8 | Kind::QInt32 => None,
        Kind::Float8e5m2 | Kind::Float8e4m3fn | Kind::Float8e5m2fnuz | Kind::Float8e4m3fnuz => None,
    }
}

/// Results of a type that is stored as a wider one, cut to its bits.
pub fn narrowed(dtype: DType, x: Tensor) -> Result<Tensor> {
    match low_bits(dtype) {
        Some(bits) => x.f_bitwise_and(bits),
        None => Ok(x),
    }
}

/// The same, written over.
pub fn narrow(dtype: DType, x: &mut Tensor) -> Result<()> {
    if let Some(bits) = low_bits(dtype) {
        drop(x.f_bitwise_and_(bits)?);
    }
    Ok(())
}
