//! Pooling over windows, and its gradients.

use crate::infer::require::{Result, indices_of, one, sized};
use crate::infer::{reduce, window};
use crate::{
    DType, Differentiability, Dims, HasSpec, OperationTraits, Outputs, PoolArgs, PoolGradArgs, PoolKind,
    PoolOptions, PrecisionClass, Reason, Shape, TensorSpec,
};
use alloc::boxed::Box;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Pooling over windows, or its gradient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Pooling<T> {
    /// See [`PoolKind`](crate::PoolKind).
    Pool(Box<PoolArgs<T>>),
    /// Gradient of [`Pooling::Pool`] by its input.
    PoolGrad(Box<PoolGradArgs<T>>),
    /// Largest of each window, and its position in the flattened spatial dimensions of `x`.
    #[operands(outputs = 2)]
    MaxPoolWithIndices { x: T, options: Box<PoolOptions>, index: DType },
    /// Means over windows that cover each spatial dimension in `size[d]` steps: window `i` is `floor(i n /
    /// size)..ceil((i + 1) n / size)`.
    AdaptiveAvgPool { x: T, size: Dims },
    /// Gradient of [`Pooling::AdaptiveAvgPool`] by its input, which has the shape `target`.
    AdaptiveAvgPoolGrad { grad: T, target: Shape },
}

impl<T> Pooling<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Pooling::Pool(_) => "pool",
            Pooling::PoolGrad(_) => "pool_grad",
            Pooling::MaxPoolWithIndices { .. } => "max_pool_with_indices",
            Pooling::AdaptiveAvgPool { .. } => "adaptive_avg_pool",
            Pooling::AdaptiveAvgPoolGrad { .. } => "adaptive_avg_pool_grad",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        let traits = OperationTraits::new(PrecisionClass::Accumulation);
        match self {
            Pooling::PoolGrad(args) if args.kind == PoolKind::Max => {
                traits.gradient(Differentiability::Partial(&[None, Some(Reason::Choice)]))
            }
            Pooling::Pool(_) | Pooling::PoolGrad(_) => traits,
            Pooling::AdaptiveAvgPool { .. } | Pooling::AdaptiveAvgPoolGrad { .. } => traits,
            Pooling::MaxPoolWithIndices { .. } => OperationTraits::new(PrecisionClass::Neutral),
        }
    }
}

impl<T: HasSpec> Pooling<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        match self {
            Pooling::Pool(args) => one(window::pool(args)?),
            Pooling::PoolGrad(args) => one(window::pool_grad(args)?),
            Pooling::MaxPoolWithIndices { x, options, index } => {
                let value = window::pooled(x.spec(), options)?;
                indices_of(x.spec().shape[2..].iter().product(), *index)?;
                sized(&value)?;
                Ok(reduce::with_indices(value, *index))
            }
            Pooling::AdaptiveAvgPool { x, size } => one(window::adaptive(x.spec(), size)?),
            Pooling::AdaptiveAvgPoolGrad { grad, target } => one(window::adaptive_grad(grad.spec(), target)?),
        }
    }
}
