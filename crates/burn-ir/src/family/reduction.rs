//! Reductions along dimensions, and running ones.

use crate::infer::reduce;
use crate::infer::require::{Result, dim_of, numeric, one};
use crate::{
    CumulativeOp, DType, Differentiability, Dims, Extremum, FusionClass, HasSpec, OperationTraits, Outputs,
    PrecisionClass, Reason, ReduceOp, TensorSpec,
};
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Reduction along dimensions, or a running one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Reduction<T> {
    /// See [`ReduceOp`]; the dimensions stay with size 1.
    Reduce { op: ReduceOp, x: T, dims: Dims },
    /// Index of the extreme value along `dim`, of dtype `index`.
    ArgReduce { op: Extremum, x: T, dim: usize, index: DType },
    /// Extreme value along `dim`, and its index of dtype `index`.
    #[operands(outputs = 2)]
    ReduceWithIndices { op: Extremum, x: T, dim: usize, index: DType },
    /// See [`CumulativeOp`].
    Cumulative { op: CumulativeOp, x: T, dim: usize },
}

impl<T> Reduction<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Reduction::Reduce { op, .. } => op.name(),
            Reduction::ArgReduce { op: Extremum::Max, .. } => "argmax",
            Reduction::ArgReduce { op: Extremum::Min, .. } => "argmin",
            Reduction::ReduceWithIndices { op: Extremum::Max, .. } => "max_with_indices",
            Reduction::ReduceWithIndices { op: Extremum::Min, .. } => "min_with_indices",
            Reduction::Cumulative { op, .. } => op.name(),
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        match self {
            Reduction::Reduce { op, .. } => match op {
                ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod => {
                    OperationTraits::new(PrecisionClass::Accumulation).fusion(FusionClass::Fold)
                }
                ReduceOp::Max | ReduceOp::Min => {
                    OperationTraits::new(PrecisionClass::Neutral).fusion(FusionClass::Fold)
                }
                ReduceOp::Any | ReduceOp::All => OperationTraits::new(PrecisionClass::Neutral)
                    .gradient(Differentiability::Constant(Reason::Truth)),
            },
            Reduction::ArgReduce { .. } => OperationTraits::new(PrecisionClass::Neutral)
                .gradient(Differentiability::Constant(Reason::Place)),
            Reduction::ReduceWithIndices { .. } => OperationTraits::new(PrecisionClass::Neutral),
            Reduction::Cumulative { .. } => OperationTraits::new(PrecisionClass::Accumulation),
        }
    }
}

impl<T: HasSpec> Reduction<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        match self {
            Reduction::Reduce { op, x, dims } => one(reduce::reduce(*op, x.spec(), dims)?),
            Reduction::ArgReduce { x, dim, index, .. } => {
                one(TensorSpec { dtype: *index, ..reduce::extreme(x.spec(), *dim, *index)? })
            }
            Reduction::ReduceWithIndices { x, dim, index, .. } => {
                Ok(reduce::with_indices(reduce::extreme(x.spec(), *dim, *index)?, *index))
            }
            Reduction::Cumulative { x, dim, .. } => {
                dim_of(*dim, x.spec())?;
                one(numeric(x.spec())?.clone())
            }
        }
    }
}
