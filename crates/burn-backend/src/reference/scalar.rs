//! Operations with a number as those with a tensor that has no dimensions, and broadcasts.

use crate::Backend;
use burn_ir::{BinaryOp, CompareOp, HasSpec, Scalar, Shape, TensorSpec};

/// Creates a tensor of `value` with the dtype and device of `x`.
fn beside<B: Backend>(x: &B::Tensor, value: Scalar) -> B::Tensor {
    B::full(TensorSpec::new(Shape::new([]), x.dtype()), value, &B::device(x))
}

/// [`TypedCalls::binary_scalar`](crate::TypedCalls::binary_scalar) by
/// [`TypedCalls::binary`](crate::TypedCalls::binary).
pub fn binary_scalar<B: Backend>(op: BinaryOp, lhs: B::Tensor, rhs: Scalar) -> B::Tensor {
    let rhs = beside::<B>(&lhs, rhs);
    B::binary(op, lhs, rhs)
}

/// [`TypedCalls::compare_scalar`](crate::TypedCalls::compare_scalar) by
/// [`TypedCalls::compare`](crate::TypedCalls::compare).
pub fn compare_scalar<B: Backend>(op: CompareOp, lhs: B::Tensor, rhs: Scalar) -> B::Tensor {
    let rhs = beside::<B>(&lhs, rhs);
    B::compare(op, lhs, rhs)
}

/// [`TypedCalls::mask_fill`](crate::TypedCalls::mask_fill) by
/// [`TypedCalls::mask_where`](crate::TypedCalls::mask_where).
pub fn mask_fill<B: Backend>(x: B::Tensor, mask: B::Tensor, value: Scalar) -> B::Tensor {
    let value = beside::<B>(&x, value);
    B::mask_where(mask, value, x)
}

/// [`TypedCalls::clamp`](crate::TypedCalls::clamp) by
/// [`TypedCalls::binary_scalar`](crate::TypedCalls::binary_scalar).
pub fn clamp<B: Backend>(x: B::Tensor, min: Option<Scalar>, max: Option<Scalar>) -> B::Tensor {
    let limit = |x, op, limit: Option<Scalar>| match limit {
        Some(limit) => B::binary_scalar(op, x, limit),
        None => x,
    };
    limit(limit(x, BinaryOp::Max, min), BinaryOp::Min, max)
}
