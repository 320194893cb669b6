use super::{B, Operand, Sink, Tensor};
use burn_backend::TypedCalls;
use burn_backend::ops::transpose;

pub fn backward(lhs: &Operand, rhs: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    if let Some(rhs) = sink.other(rhs, lhs) {
        sink.add(lhs, || B::matmul(grad.clone(), transpose::<B>(rhs)));
    }
    if let Some(lhs) = sink.other(lhs, rhs) {
        sink.add_product(rhs, lhs, grad);
    }
}
