//! Convolutions and their gradients.

use crate::infer::require::{Result, one};
use crate::infer::window;
use crate::{
    ConvArgs, ConvGradArgs, FusionClass, HasSpec, HeadKind, OperationTraits, Outputs, PrecisionClass,
    TensorSpec,
};
use alloc::boxed::Box;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Convolution, or one of its gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Convolution<T> {
    /// See [`ConvArgs`].
    Conv(Box<ConvArgs<T>>),
    /// Transposed convolution; also the gradient of `Conv` by its input (`other` is the weight).
    ConvTranspose(Box<ConvGradArgs<T>>),
    /// Gradient of `Conv` by its weight (`other` is the input).
    ConvWeightGrad(Box<ConvGradArgs<T>>),
}

impl<T> Convolution<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Convolution::Conv(_) => "conv",
            Convolution::ConvTranspose(_) => "conv_transpose",
            Convolution::ConvWeightGrad(_) => "conv_weight_grad",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        let traits = OperationTraits::new(PrecisionClass::Product);
        match self {
            Convolution::Conv(_) => traits.fusion(FusionClass::Head(HeadKind::Convolution)),
            Convolution::ConvTranspose(_) | Convolution::ConvWeightGrad(_) => traits,
        }
    }
}

impl<T: HasSpec> Convolution<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        one(match self {
            Convolution::Conv(args) => window::conv(args)?,
            Convolution::ConvTranspose(args) => window::conv_transpose(args)?,
            Convolution::ConvWeightGrad(args) => window::conv_weight_grad(args)?,
        })
    }
}
