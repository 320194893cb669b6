//! Quantization, and products of quantized matrices.

use crate::infer::quantization;
use crate::infer::require::{Result, one};
use crate::{
    BlockMatmulArgs, Composite, Differentiability, HasSpec, IntegerMatmulArgs, OperationTraits, Outputs,
    Packed, PackedBlocks, PrecisionClass, QuantizeArgs, QuantizedMatmulArgs, Reason, TensorSpec,
};
use alloc::boxed::Box;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Quantization, or a product of quantized matrices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Quantized<T> {
    /// The words of `x` by a [scheme](crate::QuantizationScheme): see [`QuantizeArgs`].
    Quantize(Box<QuantizeArgs<T>>),
    /// Dequantization of a quantized tensor to floats.
    Dequantize(Box<Packed<T>>),
    /// See [`QuantizedMatmulArgs`]. Composite.
    QuantizedMatmul(Box<QuantizedMatmulArgs<T>>),
    /// See [`IntegerMatmulArgs`]. Composite.
    IntegerMatmul(Box<IntegerMatmulArgs<T>>),
    /// Dequantization of a matrix of blocks to floats.
    DequantizeBlocks(Box<PackedBlocks<T>>),
    /// See [`BlockMatmulArgs`]. Composite.
    BlockMatmul(Box<BlockMatmulArgs<T>>),
}

impl<T> Quantized<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Quantized::Quantize(_) => "quantize",
            Quantized::Dequantize(_) => "dequantize",
            Quantized::QuantizedMatmul(_) => "quantized_matmul",
            Quantized::IntegerMatmul(_) => "integer_matmul",
            Quantized::DequantizeBlocks(_) => "dequantize_blocks",
            Quantized::BlockMatmul(_) => "block_matmul",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        const PACKED: Option<Reason> = Some(Reason::Packed);
        match self {
            Quantized::Quantize(_) => OperationTraits::new(PrecisionClass::Neutral)
                .memory_bound()
                .gradient(Differentiability::Constant(Reason::Whole)),
            Quantized::Dequantize(_) => OperationTraits::new(PrecisionClass::Neutral)
                .memory_bound()
                .gradient(Differentiability::Partial(&[PACKED, None, PACKED])),
            Quantized::QuantizedMatmul(_) => OperationTraits::new(PrecisionClass::Product)
                .composite(Composite::QuantizedMatmul)
                .gradient(Differentiability::Partial(&[None, PACKED, None, PACKED]))
                .fixed_dtypes(&[2]),
            Quantized::IntegerMatmul(_) => OperationTraits::new(PrecisionClass::Neutral)
                .composite(Composite::IntegerMatmul)
                .gradient(Differentiability::Constant(Reason::Packed)),
            Quantized::DequantizeBlocks(_) => OperationTraits::new(PrecisionClass::Neutral)
                .memory_bound()
                .gradient(Differentiability::Constant(Reason::Packed)),
            Quantized::BlockMatmul(_) => OperationTraits::new(PrecisionClass::Product)
                .composite(Composite::BlockMatmul)
                .gradient(Differentiability::Partial(&[None, PACKED])),
        }
    }
}

impl<T: HasSpec> Quantized<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        one(match self {
            Quantized::Quantize(args) => quantization::quantize(args)?,
            Quantized::Dequantize(x) => quantization::dequantize(x)?,
            Quantized::QuantizedMatmul(args) => quantization::quantized_matmul(args)?,
            Quantized::IntegerMatmul(args) => quantization::integer_matmul(args)?,
            Quantized::DequantizeBlocks(x) => quantization::dequantize_blocks(x)?,
            Quantized::BlockMatmul(args) => quantization::block_matmul(args)?,
        })
    }
}

impl<T: HasSpec> Packed<T> {
    /// Returns whether [`Quantized::IntegerMatmul`] accepts this as left and
    /// `rhs` as right operand. [`Quantized::QuantizedMatmul`] computes
    /// other products, with one operand dequantized.
    pub fn multiplies(&self, rhs: &Packed<T>) -> bool {
        let args = IntegerMatmulArgs { lhs: self.by_ref(), rhs: rhs.by_ref() };
        Quantized::IntegerMatmul(Box::new(args)).infer().is_ok()
    }
}
