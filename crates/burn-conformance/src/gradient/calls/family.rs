//! One or more differentiable calls of every variant of every operation, in `f64`.

use super::call::{Call, call, constant, positive, x};
use super::elementwise::{binary, binary_scalar, elementwise, unary};
use super::layer::{attention, layer_norm, layer_norm_grad, recurrent};
use super::layout::{indexed, layout, order};
use super::linalg::{fft, linalg, matmul};
use super::reduce::{cumulative, reduce};
use super::spatial::{conv, interpolate, pool};
use crate::Family;
use crate::gradient::quantization;
use burn_backend::*;

/// The calls of `family`; none for what is no [`Operation`].
pub fn calls(family: Family) -> Vec<Call> {
    use Family::*;
    match family {
        Unary => UnaryOp::ALL.map(unary).into(),
        Binary => BinaryOp::ALL.into_iter().flat_map(binary).collect(),
        BinaryScalar => BinaryOp::ALL.into_iter().flat_map(binary_scalar).collect(),
        Compare => CompareOp::ALL
            .map(|op| {
                constant(
                    "",
                    Operation::Elementwise(Elementwise::Compare { op, lhs: x([4]), rhs: positive([4]) }),
                )
            })
            .into(),
        CompareScalar => CompareOp::ALL
            .map(|op| {
                constant(
                    "",
                    Operation::Elementwise(Elementwise::CompareScalar {
                        op,
                        lhs: x([4]),
                        rhs: Scalar::Int(0),
                    }),
                )
            })
            .into(),
        Clamp | Cast | MaskWhere | MaskFill => elementwise(family),
        Reshape | Permute | Expand | Flip | Slice | SliceAssign | Cat | RepeatDim => layout(family),
        Reduce => ReduceOp::ALL.into_iter().flat_map(reduce).collect(),
        Cumulative => CumulativeOp::ALL.into_iter().flat_map(cumulative).collect(),
        ArgReduce | ReduceWithIndices | Sort | SortWithIndices | TopK => order(family),
        Gather | Scatter | Select | SelectAssign => indexed(family),
        Matmul => matmul(),
        Factorize | Lu | Solve | SolveTriangular => linalg(family),
        Conv | ConvTranspose | ConvWeightGrad => conv(family),
        Pool | PoolGrad | MaxPoolWithIndices | AdaptiveAvgPool | AdaptiveAvgPoolGrad => pool(family),
        Fft => fft(),
        Softmax => vec![
            call("rows", Operation::Normalization(Normalization::Softmax { x: x([3, 4]), dim: 1 })),
            call("columns", Operation::Normalization(Normalization::Softmax { x: x([3, 4]), dim: 0 })),
        ],
        LogSoftmax => vec![
            call("rows", Operation::Normalization(Normalization::LogSoftmax { x: x([3, 4]), dim: 1 })),
            call("columns", Operation::Normalization(Normalization::LogSoftmax { x: x([3, 4]), dim: 0 })),
        ],
        LayerNorm => layer_norm(),
        LayerNormGrad => layer_norm_grad(),
        Attention | AttentionGrad => attention(family),
        Interpolate | InterpolateGrad => interpolate(family),
        Quantize | Dequantize | QuantizedMatmul | IntegerMatmul | DequantizeBlocks | BlockMatmul => {
            quantization::calls(family)
        }
        Recurrent | RecurrentGrad => {
            RecurrentKind::ALL.into_iter().flat_map(|kind| recurrent(family, kind)).collect()
        }
        DTypes | Creation | Random | Argwhere | Dropped | Threads => Vec::new(),
    }
}
