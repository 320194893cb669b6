//! Arithmetic of flat vectors: shape `[n]`, and `[1]` for numbers that stay on the device.

use crate::arithmetic::{mul, read_scalar, reduce_all};
use crate::formula::Formula;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{ReduceOp, UnaryOp};

/// Computes the dot product, shape `[1]`.
pub fn dot(lhs: &DynamicTensor, rhs: &DynamicTensor) -> DynamicTensor {
    reduce_all(ReduceOp::Sum, mul::<Dynamic>(lhs.clone(), rhs.clone()))
}

/// Computes the largest absolute value. Waits for the device.
pub fn max_abs(x: &DynamicTensor) -> f64 {
    read_scalar(reduce_all(ReduceOp::Max, Dynamic::unary(UnaryOp::Abs, x.clone())))
}

/// Computes the sum of absolute values. Waits for the device.
pub fn sum_abs(x: &DynamicTensor) -> f64 {
    read_scalar(reduce_all(ReduceOp::Sum, Dynamic::unary(UnaryOp::Abs, x.clone())))
}

/// Computes `x + factor * y`.
pub fn add_scaled(x: DynamicTensor, factor: f64, y: &DynamicTensor) -> DynamicTensor {
    let formula = Formula::like(&x);
    let (x, y) = (formula.input(x), formula.input(y.clone()));
    (x + y * factor).run()
}

/// Computes `x + factor * y` with a factor of shape `[1]`.
pub fn add_scaled_by(x: DynamicTensor, factor: DynamicTensor, y: &DynamicTensor) -> DynamicTensor {
    let formula = Formula::like(&x);
    let (x, y) = (formula.input(x), formula.input(y.clone()));
    (x + y * formula.broadcast_input(factor)).run()
}
