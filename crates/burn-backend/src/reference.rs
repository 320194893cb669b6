//! Composites in terms of other operations, for backends without a kernel of their own.

use crate::{Backend, ops};
use burn_ir::{Dims, Extremum, Operation, UnaryOp};

/// `exp(x - max) / sum(exp(x - max))` along `dim`.
pub fn softmax<B: Backend>(x: B::Tensor, dim: usize) -> B::Tensor {
    let (max, _) = B::reduce_with_indices(Extremum::Max, x.clone(), dim);
    let exp = B::unary(UnaryOp::Exp, ops::sub::<B>(x, B::detach(max)));
    let sum = ops::sum_dims::<B>(exp.clone(), Dims::from(&[dim][..]));
    ops::div::<B>(exp, sum)
}

/// The composite `op` in terms of other operations on `B`.
///
/// A decorator calls this when it can do better with the parts than with the whole.
pub fn decompose<B: Backend>(op: Operation<B::Tensor>) -> B::Tensor {
    match op {
        Operation::Softmax { x, dim } => softmax::<B>(x, dim),
        primitive => unreachable!("{} is not a composite", primitive.name()),
    }
}
