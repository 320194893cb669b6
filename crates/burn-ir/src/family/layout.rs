//! Operations that move elements and compute none.

use crate::infer::layout;
use crate::infer::require::{Result, dims_of, one, same_dtype, same_shape};
use crate::{
    Dims, FusionClass, HasSpec, OperationTraits, Outputs, PrecisionClass, Shape, Slices, TensorSpec,
};
use alloc::vec::Vec;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Operation that moves elements and computes none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Layout<T> {
    /// Reshape: the same elements in row-major order in another shape.
    Reshape { x: T, shape: Shape },
    /// Dimension `d` of the result is dimension `axes[d]` of `x`.
    Permute { x: T, axes: Dims },
    /// Repeats dimensions of size 1, and adds dimensions in front.
    Expand { x: T, shape: Shape },
    /// Reverses the order along each of `axes`.
    Flip { x: T, axes: Dims },
    /// A regular grid of elements; dimensions that are not named stay whole.
    Slice { x: T, slices: Slices },
    /// `x` with `value` written into the slice.
    SliceAssign { x: T, slices: Slices, value: T },
    /// Joined along `dim`.
    Cat { xs: Vec<T>, dim: usize },
    /// `times` copies one after the other along `dim`.
    RepeatDim { x: T, dim: usize, times: usize },
}

impl<T> Layout<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Layout::Reshape { .. } => "reshape",
            Layout::Permute { .. } => "permute",
            Layout::Expand { .. } => "expand",
            Layout::Flip { .. } => "flip",
            Layout::Slice { .. } => "slice",
            Layout::SliceAssign { .. } => "slice_assign",
            Layout::Cat { .. } => "cat",
            Layout::RepeatDim { .. } => "repeat_dim",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        let traits = OperationTraits::new(PrecisionClass::Neutral).memory_bound();
        match self {
            Layout::Expand { .. } => traits.fusion(FusionClass::Repeat),
            Layout::Reshape { .. } | Layout::Permute { .. } | Layout::Flip { .. } | Layout::Slice { .. } => {
                traits
            }
            Layout::SliceAssign { .. } | Layout::Cat { .. } | Layout::RepeatDim { .. } => traits,
        }
    }
}

impl<T: HasSpec> Layout<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        one(match self {
            Layout::Reshape { x, shape } => layout::reshape(x.spec(), shape)?,
            Layout::Permute { x, axes } => layout::permute(x.spec(), axes)?,
            Layout::Expand { x, shape } => layout::expand(x.spec(), shape)?,
            Layout::Flip { x, axes } => {
                dims_of(axes, x.spec())?;
                x.spec().clone()
            }
            Layout::Slice { x, slices } => layout::slice(x.spec(), slices)?,
            Layout::SliceAssign { x, slices, value } => {
                same_dtype(x.spec(), value.spec())?;
                same_shape("value and slice", &value.spec().shape, &layout::slice(x.spec(), slices)?.shape)?;
                x.spec().clone()
            }
            Layout::Cat { xs, dim } => layout::cat(xs, *dim)?,
            Layout::RepeatDim { x, dim, times } => layout::repeat(x.spec(), *dim, *times)?,
        })
    }
}
