use crate::kernels::binary::binary_scalar;
use crate::kernels::math::Float;
use crate::kernels::unary::elementwise;
use crate::simd::{Run, dispatch, walk};
use crate::tensor::NdTensor;
use burn_backend::{BinaryOp, DType, Element, HasSpec, Scalar};

/// `min(max(x, min), max)`; NaN stays NaN.
pub fn clamp(x: NdTensor, min: Option<Scalar>, max: Option<Scalar>) -> NdTensor {
    if let (DType::F32, Some(min), Some(max)) = (x.spec().dtype, min, max) {
        let bounds = [f32::from_scalar(min), f32::from_scalar(max)];
        return elementwise(x, 1, &|run| clamp_f32(bounds, run));
    }
    let x = match min {
        Some(min) => binary_scalar(BinaryOp::Max, x, min),
        None => x,
    };
    match max {
        Some(max) => binary_scalar(BinaryOp::Min, x, max),
        None => x,
    }
}

#[inline(always)]
fn body<const FMA: bool>([min, max]: [f32; 2], run: &Run<1>) {
    walk!(run, f32, [0 x: f32], Float::min(Float::max(x, min), max));
}

dispatch! { fn clamp_f32(bounds: [f32; 2], run: &Run<1>) = body }
