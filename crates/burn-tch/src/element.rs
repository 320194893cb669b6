//! Element types as kernels of this crate compute with them, and as LibTorch stores them.

use crate::dtype;
use burn_backend::{Element, bf16, f16};
use burn_library_backend::stored;
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
