use super::{B, Operand, Sink, Tensor};
use crate::checkpoint::Source;
use burn_backend::ops::zeros_like;
use burn_backend::{Backend, CompareOp, DType, Dims, HasSpec, IndexUpdate, Scalar, Shape, TensorSpec};

fn zeros(spec: &TensorSpec, like: &Tensor) -> Tensor {
    B::full(spec.clone(), Scalar::Int(0), &B::device(like))
}

pub fn mask_where(mask: &Operand, on: &Operand, off: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    let (mask, zeros) = (sink.value(mask), zeros_like::<B>(&grad));
    sink.add(on, || B::mask_where(mask.clone(), grad.clone(), zeros));
    sink.add(off, || B::mask_fill(grad, mask, Scalar::Int(0)));
}

pub fn mask_fill(x: &Operand, mask: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    let mask = sink.value(mask);
    sink.add(x, || B::mask_fill(grad, mask, Scalar::Int(0)));
}

/// The saved output of an operation with indices is the indices.
pub fn with_indices(x: &Operand, dim: usize, indices: &Option<Source>, grad: Tensor, sink: &mut Sink<'_>) {
    let indices = sink.restore(indices);
    sink.add(x, || B::scatter(zeros(&x.spec, &grad), dim, indices, grad, IndexUpdate::Add));
}

/// Values alone were asked for: the order is found again.
pub fn sort(x: &Operand, dim: usize, descending: bool, grad: Tensor, sink: &mut Sink<'_>) {
    let value = sink.value(x);
    sink.add(x, || {
        let (_, indices) = B::sort_with_indices(value, dim, descending, DType::I64);
        B::scatter(zeros(&x.spec, &grad), dim, indices, grad, IndexUpdate::Add)
    });
}

pub fn gather(x: &Operand, dim: usize, indices: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    let indices = sink.value(indices);
    sink.add(x, || B::scatter(zeros(&x.spec, &grad), dim, indices, grad, IndexUpdate::Add));
}

pub fn select(x: &Operand, dim: usize, indices: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    let indices = sink.value(indices);
    sink.add(x, || B::select_assign(zeros(&x.spec, &grad), dim, indices, grad, IndexUpdate::Add));
}

/// `x`, `dim`, `indices`, `value` of a write into `x`.
pub struct Write<'a> {
    pub x: &'a Operand,
    pub dim: usize,
    pub indices: &'a Operand,
    pub value: &'a Operand,
    pub update: IndexUpdate,
}

pub fn scatter(write: &Write<'_>, grad: Tensor, sink: &mut Sink<'_>) {
    let (indices, dim) = (sink.value(write.indices), write.dim);
    sink.add(write.value, || {
        let part = B::gather(grad.clone(), dim, indices.clone());
        match write.update {
            IndexUpdate::Add => part,
            IndexUpdate::Assign => {
                let places = places(&indices);
                let board = integers(write.x.spec.shape.clone(), &indices);
                let written = B::scatter(board, dim, indices.clone(), places.clone(), IndexUpdate::Assign);
                only_last(part, B::gather(written, dim, indices.clone()), places)
            }
        }
    });
    sink.add(write.x, || match write.update {
        IndexUpdate::Add => grad,
        IndexUpdate::Assign => {
            let zeros = zeros(&write.value.spec, &grad);
            B::scatter(grad, dim, indices, zeros, write.update)
        }
    });
}

pub fn select_assign(write: &Write<'_>, grad: Tensor, sink: &mut Sink<'_>) {
    let (indices, dim) = (sink.value(write.indices), write.dim);
    sink.add(write.value, || {
        let part = B::select(grad.clone(), dim, indices.clone());
        match write.update {
            IndexUpdate::Add => part,
            IndexUpdate::Assign => {
                let places = places(&indices);
                let board = integers([write.x.spec.shape[dim]].into(), &indices);
                let written =
                    B::select_assign(board, 0, indices.clone(), places.clone(), IndexUpdate::Assign);
                let mut line = Shape::from(Dims::repeat(1, part.spec().shape.rank()));
                line[dim] = indices.spec().shape[0];
                let written = B::reshape(B::select(written, 0, indices.clone()), line.clone());
                only_last(part, written, B::reshape(places, line))
            }
        }
    });
    sink.add(write.x, || match write.update {
        IndexUpdate::Add => grad,
        IndexUpdate::Assign => {
            let zeros = zeros(&write.value.spec, &grad);
            B::select_assign(grad, dim, indices, zeros, write.update)
        }
    });
}

/// `0, 1, ..` in the shape of `indices`.
fn places(indices: &Tensor) -> Tensor {
    let shape = indices.shape();
    let list = TensorSpec::new([shape.num_elements()], DType::I64);
    B::reshape(B::range(list, Scalar::Int(0), Scalar::Int(1), &B::device(indices)), shape)
}

fn integers(shape: Shape, like: &Tensor) -> Tensor {
    zeros(&TensorSpec::new(shape, DType::I64), like)
}

/// Of several values for one place the last one counts: the others get no gradient. `written` says for each
/// value who won its place.
fn only_last(part: Tensor, written: Tensor, places: Tensor) -> Tensor {
    B::mask_fill(part, B::compare(CompareOp::NotEqual, written, places), Scalar::Int(0))
}
