//! The element type in which sums are made.

use crate::Backend;
use burn_ir::{DType, HasSpec};

/// Casts `x` to its accumulation dtype: half precision is summed in `f32`.
pub fn wide<B: Backend>(x: B::Tensor) -> B::Tensor {
    let dtype = x.dtype();
    if matches!(dtype, DType::F16 | DType::BF16) { B::cast(x, DType::F32) } else { x }
}

/// Casts `x` back to `dtype`.
pub fn narrow<B: Backend>(x: B::Tensor, dtype: DType) -> B::Tensor {
    if x.dtype() == dtype { x } else { B::cast(x, dtype) }
}
