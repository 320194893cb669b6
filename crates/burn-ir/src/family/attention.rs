//! Scaled dot-product attention and its gradients.

use crate::infer::attention;
use crate::infer::require::Result;
use crate::{
    AttentionArgs, AttentionGradArgs, Composite, Differentiability, HasSpec, OperationTraits, Outputs,
    PrecisionClass, Reason, TensorSpec,
};
use alloc::boxed::Box;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Scaled dot-product attention, or its gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Attention<T> {
    /// See [`AttentionArgs`]. Composite.
    #[operands(outputs = 2)]
    Attention(Box<AttentionArgs<T>>),
    /// Gradients of [`Attention::Attention`] by its query, key and value. Composite.
    #[operands(outputs = 3)]
    AttentionGrad(Box<AttentionGradArgs<T>>),
}

impl<T> Attention<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Attention::Attention(_) => "attention",
            Attention::AttentionGrad(_) => "attention_grad",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        const RESULT: Option<Reason> = Some(Reason::Result);
        let traits = OperationTraits::new(PrecisionClass::Product);
        match self {
            Attention::Attention(_) => traits.composite(Composite::Attention),
            // The output and the logarithms follow from the other operands.
            Attention::AttentionGrad(_) => traits
                .composite(Composite::AttentionGrad)
                .gradient(Differentiability::Partial(&[None, None, None, None, RESULT, RESULT, None]))
                .fixed_dtype(5),
        }
    }
}

impl<T: HasSpec> Attention<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        match self {
            Attention::Attention(args) => attention::attention(args),
            Attention::AttentionGrad(args) => attention::attention_grad(args),
        }
    }
}
