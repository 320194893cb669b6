//! What an operation can be in a block: the one list of operations that fusion has.

use crate::queue::Slot;
use burn_backend::{DType, HasSpec, Operation, ReduceOp};
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

/// Rows that are folded in a block stay in the cache with everything computed from them.
const LONGEST_ROW: usize = 1 << 14;

pub fn role(op: &Operation<Arc<Slot>>) -> Role {
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
        Operation::Matmul { .. } => Role::Head,
        Operation::Reduce { op, x, dims } if is_fold(*op) => {
            let (rank, count) = (x.spec().shape.rank(), dims.len());
            let last = dims.iter().all(|&dim| dim + count >= rank);
            let row: usize = dims.iter().map(|&dim| x.spec().shape[dim]).product();
            let fits = matches!(x.spec().dtype, DType::F32 | DType::F64) && (2..=LONGEST_ROW).contains(&row);
            if last && fits { Role::Fold(count) } else { Role::Alone }
        }
        Operation::Reduce { .. }
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
        | Operation::AttentionGrad(_) => Role::Alone,
    }
}

fn is_fold(op: ReduceOp) -> bool {
    match op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => true,
        ReduceOp::Any | ReduceOp::All => false,
    }
}
