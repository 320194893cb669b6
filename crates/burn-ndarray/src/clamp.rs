use crate::binary::binary_scalar;
use crate::tensor::NdTensor;
use burn_backend::{BinaryOp, Scalar};

/// `min(max(x, min), max)`; NaN stays NaN.
pub fn clamp(x: NdTensor, min: Option<Scalar>, max: Option<Scalar>) -> NdTensor {
    let x = match min {
        Some(min) => binary_scalar(BinaryOp::Max, x, min),
        None => x,
    };
    match max {
        Some(max) => binary_scalar(BinaryOp::Min, x, max),
        None => x,
    }
}
