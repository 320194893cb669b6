use super::{B, Operand, Sink, Tensor};
use burn_backend::Backend;
use burn_backend::ops::transpose;

pub fn backward(lhs: &Operand, rhs: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    let (x, y, g) = (sink.value(lhs), sink.value(rhs), grad.clone());
    sink.add(lhs, || B::matmul(g, transpose::<B>(y)));
    sink.add(rhs, || B::matmul(transpose::<B>(x), grad));
}
