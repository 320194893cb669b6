//! Scaled dot-product attention and its gradients.

use crate::infer::attention;
use crate::infer::require::Result;
use crate::{
    AttentionArgs, AttentionGradArgs, CachedAttentionArgs, Composite, Differentiability, HasSpec,
    OperationTraits, Outputs, PrecisionClass, QuantizedAttentionArgs, Reason, TensorSpec,
};
use alloc::boxed::Box;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Scaled dot-product attention, to floats or quantized rows, or its gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Attention<T> {
    /// See [`AttentionArgs`]. Composite.
    #[operands(outputs = 2)]
    Attention(Box<AttentionArgs<T>>),
    /// Gradients of [`Attention::Attention`] by its query, key and value. Composite.
    #[operands(outputs = 3)]
    AttentionGrad(Box<AttentionGradArgs<T>>),
    /// See [`QuantizedAttentionArgs`]. Composite.
    #[operands(outputs = 2)]
    QuantizedAttention(Box<QuantizedAttentionArgs<T>>),
    /// See [`CachedAttentionArgs`]. Composite.
    #[operands(outputs = 3)]
    CachedAttention(Box<CachedAttentionArgs<T>>),
}

impl<T> Attention<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Attention::Attention(_) => "attention",
            Attention::AttentionGrad(_) => "attention_grad",
            Attention::QuantizedAttention(_) => "quantized_attention",
            Attention::CachedAttention(_) => "cached_attention",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        const RESULT: Option<Reason> = Some(Reason::Result);
        const PACKED: Option<Reason> = Some(Reason::Packed);
        let traits = OperationTraits::new(PrecisionClass::Product);
        match self {
            Attention::Attention(_) => traits.composite(Composite::Attention),
            // The output and the logarithms follow from the other operands.
            Attention::AttentionGrad(_) => traits
                .composite(Composite::AttentionGrad)
                .gradient(Differentiability::Partial(&[None, None, None, None, RESULT, RESULT, None]))
                .fixed_dtypes(&[5]),
            Attention::QuantizedAttention(_) => traits
                .composite(Composite::QuantizedAttention)
                .gradient(Differentiability::Partial(&[None, PACKED, None, PACKED, None, None]))
                .fixed_dtypes(&[2, 4]),
            Attention::CachedAttention(_) => traits
                .composite(Composite::CachedAttention)
                .gradient(Differentiability::Partial(&[None, Some(Reason::Places)])),
        }
    }
}

impl<T: HasSpec> Attention<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        match self {
            Attention::Attention(args) => attention::attention(args),
            Attention::AttentionGrad(args) => attention::attention_grad(args),
            Attention::QuantizedAttention(args) => attention::quantized_attention(args),
            Attention::CachedAttention(args) => attention::cached_attention(args),
        }
    }
}
