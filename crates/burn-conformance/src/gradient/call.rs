//! A differentiable call in `f64`, and operands of it.

use crate::input::{Input, given, list, spread};
use crate::number::Number;
use burn_backend::*;

/// A name, the call, and the gradients of the sum of its result: those of the float operands one after the
/// other.
pub type ClosedForm = (&'static str, Operation<Input>, Vec<f64>);

/// A call whose gradient is checked, and what is special about it.
#[derive(Clone, Debug)]
pub struct GradientCall {
    pub name: String,
    pub op: Operation<Input>,
    /// Whether gradients flow through it.
    pub differentiable: bool,
    /// Both operands are one tensor.
    pub alias: bool,
    /// An operand that no gradient reaches: the result does not depend on it, or by comparisons only.
    pub without_gradient: Option<usize>,
}

pub const F: DType = DType::F64;

pub fn call(name: impl Into<String>, op: Operation<Input>) -> GradientCall {
    GradientCall {
        name: format!("{} {}", op.name(), name.into()),
        op,
        differentiable: true,
        alias: false,
        without_gradient: None,
    }
}

pub fn constant(name: impl Into<String>, op: Operation<Input>) -> GradientCall {
    GradientCall { differentiable: false, ..call(name, op) }
}

/// Distinct values away from zero and from each other by more than a difference quotient reaches.
pub fn signed(shape: impl Into<Shape>) -> Input {
    spread(shape, F, -1.9, 2.0)
}

/// A list of these values.
pub fn values(values: &[f64]) -> Input {
    list(&values.iter().copied().map(Number::Float).collect::<Vec<_>>(), F)
}

pub fn positive(shape: impl Into<Shape>) -> Input {
    spread(shape, F, 0.4, 1.9)
}

pub fn index_values(values: &[i128], shape: impl Into<Shape>) -> Input {
    given(values, shape, DType::I64)
}

pub fn bool_values(values: &[i128], shape: impl Into<Shape>) -> Input {
    given(values, shape, DType::Bool)
}
