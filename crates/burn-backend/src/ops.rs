//! Short words for the calls that rules and references make all the time.

pub use crate::reference::precision::{narrow, wide};

use crate::Backend;
use burn_ir::{BinaryOp, CompareOp, Dims, HasSpec, ReduceOp, Scalar, Shape, UnaryOp};

pub fn add<B: Backend>(lhs: B::Tensor, rhs: B::Tensor) -> B::Tensor {
    B::binary(BinaryOp::Add, lhs, rhs)
}

pub fn sub<B: Backend>(lhs: B::Tensor, rhs: B::Tensor) -> B::Tensor {
    B::binary(BinaryOp::Sub, lhs, rhs)
}

pub fn mul<B: Backend>(lhs: B::Tensor, rhs: B::Tensor) -> B::Tensor {
    B::binary(BinaryOp::Mul, lhs, rhs)
}

pub fn div<B: Backend>(lhs: B::Tensor, rhs: B::Tensor) -> B::Tensor {
    B::binary(BinaryOp::Div, lhs, rhs)
}

pub fn neg<B: Backend>(x: B::Tensor) -> B::Tensor {
    B::unary(UnaryOp::Neg, x)
}

pub fn scale<B: Backend>(x: B::Tensor, factor: f64) -> B::Tensor {
    B::binary_scalar(BinaryOp::Mul, x, Scalar::Float(factor))
}

/// Computes `1 - x`.
pub fn one_minus<B: Backend>(x: B::Tensor) -> B::Tensor {
    B::binary_scalar(BinaryOp::Add, neg::<B>(x), Scalar::Int(1))
}

pub fn square<B: Backend>(x: B::Tensor) -> B::Tensor {
    mul::<B>(x.clone(), x)
}

pub fn zeros_like<B: Backend>(x: &B::Tensor) -> B::Tensor {
    B::full(x.spec().clone(), Scalar::Int(0), &B::device(x))
}

pub fn sum_dims<B: Backend>(x: B::Tensor, dims: Dims) -> B::Tensor {
    B::reduce(ReduceOp::Sum, x, dims)
}

/// Swaps the two last dimensions.
pub fn transpose<B: Backend>(x: B::Tensor) -> B::Tensor {
    let rank = x.spec().shape.rank();
    let mut axes: Dims = (0..rank).collect();
    axes.swap(rank - 1, rank - 2);
    B::permute(x, axes)
}

/// Undoes a broadcast: sums what was repeated, so that the result has `shape`.
pub fn sum_to<B: Backend>(x: B::Tensor, shape: &Shape) -> B::Tensor {
    let wide = &x.spec().shape;
    if wide == shape {
        return x;
    }
    let dims = shape.broadcast_dims(wide);
    let summed = if dims.is_empty() { x } else { sum_dims::<B>(x, dims) };
    B::reshape(summed, shape.clone())
}

/// Returns `grad` where `compare(x, value)` holds, and zero elsewhere.
pub fn keep_where<B: Backend>(op: CompareOp, x: B::Tensor, value: Scalar, grad: B::Tensor) -> B::Tensor {
    let drop = B::unary(UnaryOp::Not, B::compare_scalar(op, x, value));
    B::mask_fill(grad, drop, Scalar::Int(0))
}
