//! Fusion class of each operation: the one list of operations that fusion has.

use crate::queue::{Inner, Slot};
use burn_backend::{HasSpec, HeadKind, Operation, ReduceOp};
use std::sync::Arc;

/// Fusion class of an operation: how it can take part in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusionClass {
    /// Each result element depends on the operand elements at the same index.
    Elementwise,
    /// Broadcast: the operand, repeated.
    Repeat,
    /// Reduction over this many trailing dimensions.
    Fold(usize),
    /// Matrix product or convolution that a block may start with; the steps read its result.
    Head,
    /// Not fusible: the operation runs by itself.
    Alone,
}

/// Returns the fusion class of `op` on this backend.
pub fn fusion_class(op: &Operation<Arc<Slot>>, inner: Inner) -> FusionClass {
    match op {
        Operation::Unary { .. }
        | Operation::Binary { .. }
        | Operation::BinaryScalar { .. }
        | Operation::Compare { .. }
        | Operation::CompareScalar { .. }
        | Operation::Clamp { .. }
        | Operation::MaskWhere { .. }
        | Operation::MaskFill { .. }
        | Operation::Cast { .. } => FusionClass::Elementwise,
        Operation::Expand { .. } => FusionClass::Repeat,
        Operation::Matmul { .. } | Operation::Conv(_)
            if HeadKind::of(op).is_some_and(|kind| inner.takes_head(kind)) =>
        {
            FusionClass::Head
        }
        Operation::Reduce { op, x, dims } if is_fold(*op) => {
            let (rank, count) = (x.spec().shape.rank(), dims.len());
            let last = dims.iter().all(|&dim| dim + count >= rank);
            let (kept, row) = x.spec().shape.split_at(rank - count);
            let product = |sizes: &[usize]| sizes.iter().product();
            let fits = || inner.folds(x.spec().dtype, product(kept), product(row));
            if last && fits() { FusionClass::Fold(count) } else { FusionClass::Alone }
        }
        Operation::Matmul { .. }
        | Operation::Reduce { .. }
        | Operation::Reshape { .. }
        | Operation::Permute { .. }
        | Operation::Flip { .. }
        | Operation::Slice { .. }
        | Operation::SliceAssign { .. }
        | Operation::Cat { .. }
        | Operation::RepeatDim { .. }
        | Operation::ArgReduce { .. }
        | Operation::ReduceWithIndices { .. }
        | Operation::Cumulative { .. }
        | Operation::Sort { .. }
        | Operation::SortWithIndices { .. }
        | Operation::TopK { .. }
        | Operation::Gather { .. }
        | Operation::Scatter { .. }
        | Operation::Select { .. }
        | Operation::SelectAssign { .. }
        | Operation::Factorize { .. }
        | Operation::Lu { .. }
        | Operation::Solve { .. }
        | Operation::SolveTriangular { .. }
        | Operation::Conv(_)
        | Operation::ConvTranspose(_)
        | Operation::ConvWeightGrad(_)
        | Operation::Pool(_)
        | Operation::PoolGrad(_)
        | Operation::MaxPoolWithIndices { .. }
        | Operation::AdaptiveAvgPool { .. }
        | Operation::AdaptiveAvgPoolGrad { .. }
        | Operation::Fft { .. }
        | Operation::Interpolate { .. }
        | Operation::InterpolateGrad { .. }
        | Operation::Softmax { .. }
        | Operation::LogSoftmax { .. }
        | Operation::LayerNorm(_)
        | Operation::LayerNormGrad(_)
        | Operation::Attention(_)
        | Operation::AttentionGrad(_)
        | Operation::Quantize(_)
        | Operation::Dequantize(_)
        | Operation::QuantizedMatmul(_)
        | Operation::IntegerMatmul(_)
        | Operation::Recurrent(_)
        | Operation::RecurrentGrad(_) => FusionClass::Alone,
    }
}

fn is_fold(op: ReduceOp) -> bool {
    match op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => true,
        ReduceOp::Any | ReduceOp::All => false,
    }
}
