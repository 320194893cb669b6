use super::{B, Operand, Sink, Tensor};
use crate::checkpoint::Source;
use burn_backend::Dims;
use burn_backend::ops::{mul, sub, sum_dims};

/// `y * (g - sum(g * y))`.
pub fn backward(x: &Operand, dim: usize, output: &Option<Source>, grad: Tensor, sink: &mut Sink<'_>) {
    let y = sink.restore(output);
    sink.add(x, || {
        let dot = sum_dims::<B>(mul::<B>(grad.clone(), y.clone()), Dims::from(&[dim][..]));
        mul::<B>(y, sub::<B>(grad, dot))
    });
}
