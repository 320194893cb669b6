//! Composites in terms of other operations, for backends without a kernel of their own.

use crate::{Backend, ops};
use burn_ir::{Composite, Dims, HasSpec, Operation, ReduceOp, UnaryOp};

/// `exp(x - max) / sum(exp(x - max))` along `dim`.
pub fn softmax<B: Backend>(x: B::Tensor, dim: usize) -> B::Tensor {
    let exp = B::unary(UnaryOp::Exp, shifted::<B>(x, dim));
    let sum = ops::sum_dims::<B>(exp.clone(), Dims::from([dim]));
    ops::div::<B>(exp, sum)
}

/// `(x - max) - log(sum(exp(x - max)))` along `dim`.
pub fn log_softmax<B: Backend>(x: B::Tensor, dim: usize) -> B::Tensor {
    let shifted = shifted::<B>(x, dim);
    let sum = ops::sum_dims::<B>(B::unary(UnaryOp::Exp, shifted.clone()), Dims::from([dim]));
    ops::sub::<B>(shifted, B::unary(UnaryOp::Log, sum))
}

fn shifted<B: Backend>(x: B::Tensor, dim: usize) -> B::Tensor {
    if x.spec().shape[dim] == 0 {
        return x;
    }
    let max = B::reduce(ReduceOp::Max, x.clone(), Dims::from([dim]));
    ops::sub::<B>(x, B::detach(max))
}

/// The composite `op` in terms of other operations on `B`; what is no composite comes back.
///
/// A decorator calls this when it can do better with the parts than with the whole.
///
/// # Errors
/// `op` itself, when it is not a composite.
pub fn decompose<B: Backend>(op: Operation<B::Tensor>) -> Result<B::Tensor, Operation<B::Tensor>> {
    match (op.composite(), op) {
        (Some(Composite::Softmax), Operation::Softmax { x, dim }) => Ok(softmax::<B>(x, dim)),
        (Some(Composite::LogSoftmax), Operation::LogSoftmax { x, dim }) => Ok(log_softmax::<B>(x, dim)),
        (Some(Composite::Softmax | Composite::LogSoftmax) | None, op) => Err(op),
    }
}
