//! Products of matrices of which the right one, at least, is quantized.

use super::{Packed, QuantizationScheme};
use crate::TensorPrimitive;
use alloc::boxed::Box;
use burn_backend::{
    Backend, BlockMatmulArgs, DType, HasSpec, IntegerMatmulArgs, Operation, Quantized, QuantizedMatmulArgs,
    TensorSpec, output_specs,
};

/// Computes a matrix product, in integers where the schemes of both operands allow it; otherwise in floats,
/// where a quantized right operand is not dequantized as a whole. Shapes, dtypes and devices must fit.
#[cold]
#[inline(never)]
pub fn product<B: Backend>(lhs: TensorPrimitive<B>, rhs: TensorPrimitive<B>) -> B::Tensor {
    let right = match &rhs {
        TensorPrimitive::Float(_) => return B::matmul(lhs.tensor(), rhs.tensor()),
        TensorPrimitive::Blocks(blocks) => {
            let rhs = blocks.packed().clone();
            return B::block_matmul(BlockMatmulArgs { lhs: lhs.tensor(), rhs });
        }
        TensorPrimitive::QFloat(right) => right,
    };
    if let TensorPrimitive::QFloat(left) = &lhs
        && is_of_integers([left.scheme(), right.scheme()], [left.spec(), right.spec()])
    {
        let (lhs, rhs) = (left.packed().clone(), right.packed().clone());
        return B::integer_matmul(IntegerMatmulArgs { lhs, rhs });
    }
    if right.spec().shape.rank() == 2 {
        let rhs = right.packed().clone();
        return B::quantized_matmul(QuantizedMatmulArgs { lhs: lhs.tensor(), rhs });
    }
    B::matmul(lhs.tensor(), rhs.tensor())
}

/// Returns whether the product can be computed in integers. Not generic: programs would compile all
/// inference.
fn is_of_integers(schemes: [QuantizationScheme; 2], specs: [&TensorSpec; 2]) -> bool {
    let parts = |side: usize| {
        let (scheme, TensorSpec { shape, dtype }) = (schemes[side], specs[side]);
        let count = scheme.scales(shape);
        Packed {
            values: TensorSpec::new([scheme.words(shape)], DType::I32),
            scale: TensorSpec::new([count], *dtype),
            zero: scheme.is_affine().then(|| TensorSpec::new([count], DType::I32)),
            scheme,
            shape: shape.clone(),
        }
    };
    let args = IntegerMatmulArgs { lhs: parts(0), rhs: parts(1) };
    output_specs(&Operation::Quantized(Quantized::IntegerMatmul(Box::new(args)))).is_ok()
}
