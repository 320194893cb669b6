use super::{B, Operand, Sink, Tensor};
use crate::checkpoint::SavedTensor;
use burn_backend::ops::{mul, sub, sum_dims};
use burn_backend::{Dims, TypedCalls, UnaryOp};

/// Computes the gradient of softmax, `y * (g - sum(g y))`.
pub fn softmax(x: &Operand, dim: usize, output: &Option<SavedTensor>, grad: Tensor, sink: &mut Sink<'_>) {
    let y = sink.restore(output);
    sink.add(x, || {
        let dot = sum_dims::<B>(mul::<B>(grad.clone(), y.clone()), Dims::from([dim]));
        mul::<B>(y, sub::<B>(grad, dot))
    });
}

/// Computes the gradient of log-softmax, `g - softmax(x) * sum(g)`.
pub fn log_softmax(x: &Operand, dim: usize, output: &Option<SavedTensor>, grad: Tensor, sink: &mut Sink<'_>) {
    let y = sink.restore(output);
    sink.add(x, || {
        let total = sum_dims::<B>(grad.clone(), Dims::from([dim]));
        sub::<B>(grad, mul::<B>(B::unary(UnaryOp::Exp, y), total))
    });
}
