//! Arithmetic of update rules, in place where an operand is not shared.

use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, BinaryOp, HasSpec, ReduceOp, Scalar, UnaryOp};

pub use burn_backend::ops::{add, mul};

pub fn scale(x: DynamicTensor, factor: f64) -> DynamicTensor {
    Dynamic::binary_scalar(BinaryOp::Mul, x, Scalar::Float(factor))
}

pub fn add_scalar(x: DynamicTensor, value: f64) -> DynamicTensor {
    Dynamic::binary_scalar(BinaryOp::Add, x, Scalar::Float(value))
}

pub fn square(x: DynamicTensor) -> DynamicTensor {
    Dynamic::unary(UnaryOp::Square, x)
}

pub fn sqrt(x: DynamicTensor) -> DynamicTensor {
    Dynamic::unary(UnaryOp::Sqrt, x)
}

/// Computes the sum of squares; every dimension is kept with size 1.
pub fn sum_of_squares(x: DynamicTensor) -> DynamicTensor {
    let dims = (0..x.spec().shape.rank()).collect();
    Dynamic::reduce(ReduceOp::Sum, square(x), dims)
}
