//! Precision class of each operation: the one list of operations that this crate has.

use burn_backend::{Operation, ReduceOp};

/// Precision class of an operation in mixed precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Sums of products, which tensor cores compute from low-precision operands and accumulate in higher
    /// precision.
    Product,
    /// Sums of many numbers, or divisions by such sums: precision and range matter.
    Accumulation,
    /// Computes in the dtype of its operands.
    Neutral,
}

/// Returns the precision class of an operation.
pub fn role<T>(op: &Operation<T>) -> Role {
    match op {
        Operation::Matmul { .. }
        | Operation::Conv(_)
        | Operation::ConvTranspose(_)
        | Operation::ConvWeightGrad(_)
        | Operation::Attention(_)
        | Operation::AttentionGrad(_)
        | Operation::QuantizedMatmul(_)
        | Operation::Recurrent(_)
        | Operation::RecurrentGrad(_) => Role::Product,
        Operation::Reduce { op, .. } => match op {
            ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod => Role::Accumulation,
            ReduceOp::Max | ReduceOp::Min | ReduceOp::Any | ReduceOp::All => Role::Neutral,
        },
        Operation::Cumulative { .. }
        | Operation::Scatter { .. }
        | Operation::SelectAssign { .. }
        | Operation::Factorize { .. }
        | Operation::Lu { .. }
        | Operation::Solve { .. }
        | Operation::SolveTriangular { .. }
        | Operation::Pool(_)
        | Operation::PoolGrad(_)
        | Operation::AdaptiveAvgPool { .. }
        | Operation::AdaptiveAvgPoolGrad { .. }
        | Operation::Fft { .. }
        | Operation::Interpolate { .. }
        | Operation::InterpolateGrad { .. }
        | Operation::Softmax { .. }
        | Operation::LogSoftmax { .. }
        | Operation::LayerNorm(_)
        | Operation::LayerNormGrad(_) => Role::Accumulation,
        Operation::Unary { .. }
        | Operation::Binary { .. }
        | Operation::BinaryScalar { .. }
        | Operation::Compare { .. }
        | Operation::CompareScalar { .. }
        | Operation::Clamp { .. }
        | Operation::MaskWhere { .. }
        | Operation::MaskFill { .. }
        | Operation::Cast { .. }
        | Operation::Reshape { .. }
        | Operation::Permute { .. }
        | Operation::Expand { .. }
        | Operation::Flip { .. }
        | Operation::Slice { .. }
        | Operation::SliceAssign { .. }
        | Operation::Cat { .. }
        | Operation::RepeatDim { .. }
        | Operation::ArgReduce { .. }
        | Operation::ReduceWithIndices { .. }
        | Operation::Sort { .. }
        | Operation::SortWithIndices { .. }
        | Operation::TopK { .. }
        | Operation::Gather { .. }
        | Operation::Select { .. }
        | Operation::MaxPoolWithIndices { .. }
        | Operation::Quantize(_)
        | Operation::Dequantize(_)
        | Operation::IntegerMatmul(_) => Role::Neutral,
    }
}

/// The operand, by position, that has an element type of its own, whatever the others have: the logarithms of an attention, the
/// scales of a quantized tensor.
pub(crate) fn fixed<T>(op: &Operation<T>) -> Option<usize> {
    if let Operation::AttentionGrad(_) = op {
        return Some(5);
    }
    if let Operation::QuantizedMatmul(_) = op { Some(2) } else { None }
}
