//! Sorting.

use crate::infer::reduce;
use crate::infer::require::{Result, dim_of, one};
use crate::{DType, HasSpec, OperationTraits, Outputs, PrecisionClass, TensorSpec};
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Operation that sorts along a dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Order<T> {
    /// Stable sort along `dim`; NaN is larger than everything.
    Sort { x: T, dim: usize, descending: bool },
    /// [`Order::Sort`], and where each element was.
    #[operands(outputs = 2)]
    SortWithIndices { x: T, dim: usize, descending: bool, index: DType },
    /// The `k` largest (or smallest) along `dim` in order, and where they were.
    #[operands(call = topk, outputs = 2)]
    TopK { x: T, k: usize, dim: usize, largest: bool, index: DType },
}

impl<T> Order<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Order::Sort { .. } => "sort",
            Order::SortWithIndices { .. } => "sort_with_indices",
            Order::TopK { .. } => "topk",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        match self {
            Order::Sort { .. } | Order::SortWithIndices { .. } | Order::TopK { .. } => {
                OperationTraits::new(PrecisionClass::Neutral)
            }
        }
    }
}

impl<T: HasSpec> Order<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        match self {
            Order::Sort { x, dim, .. } => {
                dim_of(*dim, x.spec())?;
                one(x.spec().clone())
            }
            Order::SortWithIndices { x, dim, index, .. } => reduce::sorted(x.spec(), *dim, *index),
            Order::TopK { x, k, dim, index, .. } => reduce::topk(x.spec(), *k, *dim, *index),
        }
    }
}
