//! Reads and writes at indices.

use crate::infer::index;
use crate::infer::require::{Result, one};
use crate::{
    Differentiability, HasSpec, IndexUpdate, OperationTraits, Outputs, PrecisionClass, Reason, TensorSpec,
};
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Operation that reads or writes at indices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Index<T> {
    /// `result[.., i, ..] = x[.., indices[.., i, ..], ..]` along `dim`.
    Gather { x: T, dim: usize, indices: T },
    /// The reverse of [`Index::Gather`]: writes `value` into `x`.
    Scatter { x: T, dim: usize, indices: T, value: T, update: IndexUpdate },
    /// Whole slices of `x` along `dim`, named by a list of indices.
    Select { x: T, dim: usize, indices: T },
    /// The reverse of [`Index::Select`]: writes the slices of `value` into `x`.
    SelectAssign { x: T, dim: usize, indices: T, value: T, update: IndexUpdate },
}

impl<T> Index<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Index::Gather { .. } => "gather",
            Index::Scatter { .. } => "scatter",
            Index::Select { .. } => "select",
            Index::SelectAssign { .. } => "select_assign",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        match self {
            Index::Gather { .. } | Index::Select { .. } => OperationTraits::new(PrecisionClass::Neutral)
                .memory_bound()
                .gradient(Differentiability::Partial(&[None, Some(Reason::Places)])),
            Index::Scatter { .. } | Index::SelectAssign { .. } => {
                OperationTraits::new(PrecisionClass::Accumulation)
                    .memory_bound()
                    .gradient(Differentiability::Partial(&[None, Some(Reason::Places), None]))
            }
        }
    }
}

impl<T: HasSpec> Index<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        one(match self {
            Index::Gather { x, dim, indices } => index::gather(x.spec(), *dim, indices.spec())?,
            Index::Scatter { x, dim, indices, value, update } => {
                index::scatter(x.spec(), *dim, indices.spec(), value.spec(), *update)?
            }
            Index::Select { x, dim, indices } => index::select(x.spec(), *dim, indices.spec())?,
            Index::SelectAssign { x, dim, indices, value, update } => {
                index::select_assign(x.spec(), *dim, indices.spec(), value.spec(), *update)?
            }
        })
    }
}
