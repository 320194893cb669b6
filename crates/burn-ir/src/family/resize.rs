//! Interpolation to other sizes, and its gradient.

use crate::infer::interpolate;
use crate::infer::require::{Result, one};
use crate::{Dims, HasSpec, Interpolation, OperationTraits, Outputs, PrecisionClass, Shape, TensorSpec};
use alloc::boxed::Box;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Interpolation to other spatial sizes, or its gradient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Resize<T> {
    /// `[batch, channels, ..]` with other spatial sizes; see [`Interpolation`].
    Interpolate { x: T, size: Dims, options: Box<Interpolation> },
    /// Gradient of [`Resize::Interpolate`] by its input, which has the shape `target`.
    InterpolateGrad { grad: T, target: Shape, options: Box<Interpolation> },
}

impl<T> Resize<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Resize::Interpolate { .. } => "interpolate",
            Resize::InterpolateGrad { .. } => "interpolate_grad",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        match self {
            Resize::Interpolate { .. } | Resize::InterpolateGrad { .. } => {
                OperationTraits::new(PrecisionClass::Accumulation)
            }
        }
    }
}

impl<T: HasSpec> Resize<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        one(match self {
            Resize::Interpolate { x, size, options } => interpolate::interpolate(x.spec(), size, options)?,
            Resize::InterpolateGrad { grad, target, options } => {
                interpolate::grad(grad.spec(), target, options)?
            }
        })
    }
}
