//! Element types that candle stores, and what stands for those that it does not have.

use burn_backend::DType;
use candle_core::DType as Stored;

/// The element type that candle stores elements of `dtype` as. `i8` and `u16` go through the next wider type,
/// the bits of a `u64` through an `i64`, and bools are bytes.
pub fn stored(dtype: DType) -> Stored {
    match dtype {
        DType::F64 => Stored::F64,
        DType::F32 => Stored::F32,
        DType::F16 => Stored::F16,
        DType::BF16 => Stored::BF16,
        DType::I64 | DType::U64 => Stored::I64,
        DType::I32 => Stored::I32,
        DType::I16 | DType::I8 => Stored::I16,
        DType::U32 | DType::U16 => Stored::U32,
        DType::U8 | DType::Bool => Stored::U8,
    }
}

/// The element type of a tensor that comes from candle, if there is one here.
#[allow(clippy::wildcard_enum_match_arm, reason = "the types of candle may grow")]
pub fn own(stored: Stored) -> Option<DType> {
    match stored {
        Stored::F64 => Some(DType::F64),
        Stored::F32 => Some(DType::F32),
        Stored::F16 => Some(DType::F16),
        Stored::BF16 => Some(DType::BF16),
        Stored::I64 => Some(DType::I64),
        Stored::I32 => Some(DType::I32),
        Stored::I16 => Some(DType::I16),
        Stored::U32 => Some(DType::U32),
        Stored::U8 => Some(DType::U8),
        _ => None,
    }
}
