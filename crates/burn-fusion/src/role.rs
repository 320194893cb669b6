//! What an operation can be in a block: the one list of operations that fusion has.

use crate::queue::{Inner, Slot};
use burn_backend::{HasSpec, Operation, ReduceOp};
use std::sync::Arc;

/// What an operation can be in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A result element needs the operand elements at its place.
    Elementwise,
    /// The operand, repeated.
    Repeat,
    /// The operand without what lies in its last dimensions, as many as said.
    Fold(usize),
    /// What a block may begin with: its result is an operand of what follows.
    Head,
    /// Nothing: it runs by itself.
    Alone,
}

/// What it can be in a block of this backend.
pub fn role(op: &Operation<Arc<Slot>>, inner: Inner) -> Role {
    match op {
        Operation::Unary { .. }
        | Operation::Binary { .. }
        | Operation::BinaryScalar { .. }
        | Operation::Compare { .. }
        | Operation::CompareScalar { .. }
        | Operation::Clamp { .. }
        | Operation::MaskWhere { .. }
        | Operation::MaskFill { .. }
        | Operation::Cast { .. } => Role::Elementwise,
        Operation::Expand { .. } => Role::Repeat,
        Operation::Matmul { .. } if inner.takes_products() => Role::Head,
        Operation::Reduce { op, x, dims } if is_fold(*op) => {
            let (rank, count) = (x.spec().shape.rank(), dims.len());
            let last = dims.iter().all(|&dim| dim + count >= rank);
            let (kept, row) = x.spec().shape.split_at(rank - count);
            let product = |sizes: &[usize]| sizes.iter().product();
            let fits = || inner.folds(x.spec().dtype, product(kept), product(row));
            if last && fits() { Role::Fold(count) } else { Role::Alone }
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
        | Operation::RecurrentGrad(_) => Role::Alone,
    }
}

fn is_fold(op: ReduceOp) -> bool {
    match op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => true,
        ReduceOp::Any | ReduceOp::All => false,
    }
}
