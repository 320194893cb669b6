//! Element types as kernels of this crate compute with them, and as LibTorch stores them.

use crate::dtype;
use burn_backend::{DType, Element, Scalar, bf16, f16};
use burn_library_backend::{Int, stored, with_float, with_int};
use tch::Kind;

/// An element type and the type that LibTorch stores it as: itself, or the next wider one.
pub trait Number: Element {
    type Stored: Copy + Send + Sync;
    fn load(stored: Self::Stored) -> Self;
    fn store(self) -> Self::Stored;
    fn kind() -> Kind {
        dtype::stored(Self::DTYPE)
    }
}

// There is no wider type than `u64`: its bits are stored as those of an `i64`.
stored! {
    Number: f64, f32, f16, bf16, i64, i32, i16, i8, u8, bool, u16 as i32, u32 as i64, u64 as i64,
}

/// A number as an element of `dtype`.
pub fn scalar(value: Scalar, dtype: DType) -> tch::Scalar {
    if dtype.is_float() {
        return tch::Scalar::float(with_float!(dtype, E => value.elem::<E>().to_f64()));
    }
    if dtype == DType::Bool {
        return tch::Scalar::int(value.elem::<bool>().into());
    }
    // The bits of a `u64` are those of an `i64`.
    tch::Scalar::int(with_int!(dtype, E => value.elem::<E>().wide() as i64))
}
