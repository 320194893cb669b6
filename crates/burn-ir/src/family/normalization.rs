//! Softmax and layer normalization.

use crate::infer::norm;
use crate::infer::require::{Result, dim_of, float, one};
use crate::{
    Composite, HasSpec, LayerNormArgs, LayerNormGradArgs, OperationTraits, Outputs, PrecisionClass,
    TensorSpec,
};
use alloc::boxed::Box;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Softmax or layer normalization, or the gradient of the latter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Normalization<T> {
    /// `e^x / sum(e^x)` along `dim`. Composite: a backend may have a kernel, a decorator may want it
    /// decomposed.
    Softmax { x: T, dim: usize },
    /// `x - log(sum(e^x))` along `dim`. Composite.
    LogSoftmax { x: T, dim: usize },
    /// See [`LayerNormArgs`]. Composite.
    LayerNorm(Box<LayerNormArgs<T>>),
    /// Gradient of [`Normalization::LayerNorm`] by its input. Composite.
    LayerNormGrad(Box<LayerNormGradArgs<T>>),
}

impl<T> Normalization<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Normalization::Softmax { .. } => "softmax",
            Normalization::LogSoftmax { .. } => "log_softmax",
            Normalization::LayerNorm(_) => "layer_norm",
            Normalization::LayerNormGrad(_) => "layer_norm_grad",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        let composite = match self {
            Normalization::Softmax { .. } => Composite::Softmax,
            Normalization::LogSoftmax { .. } => Composite::LogSoftmax,
            Normalization::LayerNorm(_) => Composite::LayerNorm,
            Normalization::LayerNormGrad(_) => Composite::LayerNormGrad,
        };
        OperationTraits::new(PrecisionClass::Accumulation).composite(composite)
    }
}

impl<T: HasSpec> Normalization<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        one(match self {
            Normalization::Softmax { x, dim } | Normalization::LogSoftmax { x, dim } => {
                dim_of(*dim, x.spec())?;
                float(x.spec())?.clone()
            }
            Normalization::LayerNorm(args) => norm::layer_norm(args)?,
            Normalization::LayerNormGrad(args) => norm::layer_norm_grad(args)?,
        })
    }
}
