use super::{B, Operand, Sink, Tensor};
use crate::checkpoint::Source;
use burn_backend::ops::zeros_like;
use burn_backend::{Backend, HasSpec, IndexUpdate, Scalar, TensorSpec};

fn zeros(spec: &TensorSpec, like: &Tensor) -> Tensor {
    B::full(spec.clone(), Scalar::Int(0), &B::device(like))
}

pub fn mask_where(mask: &Operand, on: &Operand, off: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    let (mask, zeros) = (sink.value(mask), zeros_like::<B>(&grad));
    sink.add(on, || B::mask_where(mask.clone(), grad.clone(), zeros.clone()));
    sink.add(off, || B::mask_where(mask, zeros, grad));
}

/// The saved output of a reduction with indices is the indices.
pub fn with_indices(x: &Operand, dim: usize, indices: &Option<Source>, grad: Tensor, sink: &mut Sink<'_>) {
    let indices = sink.restore(indices);
    sink.add(x, || B::scatter(zeros(&x.spec, &grad), dim, indices, grad, IndexUpdate::Add));
}

pub fn gather(x: &Operand, dim: usize, indices: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    let indices = sink.value(indices);
    sink.add(x, || B::scatter(zeros(&x.spec, &grad), dim, indices, grad, IndexUpdate::Add));
}

pub fn scatter(
    x: &Operand,
    dim: usize,
    indices: &Operand,
    value: &Operand,
    update: IndexUpdate,
    grad: Tensor,
    sink: &mut Sink<'_>,
) {
    let indices = sink.value(indices);
    sink.add(value, || B::gather(grad.clone(), dim, indices.clone()));
    sink.add(x, || match update {
        IndexUpdate::Add => grad,
        IndexUpdate::Assign => {
            let zeros =
                B::full(TensorSpec::new(indices.shape(), grad.dtype()), Scalar::Int(0), &B::device(&grad));
            B::scatter(grad, dim, indices, zeros, update)
        }
    });
}
