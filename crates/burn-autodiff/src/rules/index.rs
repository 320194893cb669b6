use super::{B, Operand, Saves, Sink, Tensor};
use crate::checkpoint::SavedTensor;
use burn_backend::TypedCalls;
use burn_backend::ops::{div, mul, zeros_like};
use burn_backend::{
    Backend, BinaryOp, CompareOp, DType, Dims, HasSpec, IndexUpdate, Scalar, Shape, TensorSpec, UnaryOp,
};

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

/// Scatters the gradient to the saved indices.
pub fn with_indices(
    x: &Operand,
    dim: usize,
    indices: &Option<SavedTensor>,
    grad: Tensor,
    sink: &mut Sink<'_>,
) {
    let indices = sink.restore(indices);
    sink.add(x, || B::scatter(zeros(&x.spec, &grad), dim, indices, grad, IndexUpdate::Add));
}

/// Computes the gradient of a sort without indices: the order is recomputed.
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

/// Returns the operands that the rule of an indexed write saves.
pub fn saves(update: IndexUpdate) -> Saves {
    match update {
        IndexUpdate::Assign | IndexUpdate::Add => Saves::SECOND,
        IndexUpdate::Multiply | IndexUpdate::Min | IndexUpdate::Max => Saves::THREE,
    }
}

/// A write into `x`: of elements (a scatter), or of whole slices (a select-assign).
pub struct Write<'a> {
    pub x: &'a Operand,
    pub dim: usize,
    pub indices: &'a Operand,
    pub value: &'a Operand,
    pub update: IndexUpdate,
    pub slices: bool,
}

impl Write<'_> {
    /// `value` written into `x`.
    fn put(&self, x: Tensor, indices: &Tensor, value: Tensor, update: IndexUpdate) -> Tensor {
        if self.slices {
            return B::select_assign(x, self.dim, indices.clone(), value, update);
        }
        B::scatter(x, self.dim, indices.clone(), value, update)
    }

    /// Reads the elements of `x` at the written indices.
    fn get(&self, x: Tensor, indices: &Tensor) -> Tensor {
        if self.slices {
            return B::select(x, self.dim, indices.clone());
        }
        B::gather(x, self.dim, indices.clone())
    }
}

pub fn write(write: &Write<'_>, grad: Tensor, sink: &mut Sink<'_>) {
    let indices = sink.value(write.indices);
    match write.update {
        IndexUpdate::Add => {
            sink.add(write.value, || write.get(grad.clone(), &indices));
            sink.add(write.x, || grad);
        }
        IndexUpdate::Assign => {
            sink.add(write.value, || only_last(write, write.get(grad.clone(), &indices), &indices));
            let zeros = zeros(&write.value.spec, &grad);
            sink.add(write.x, || write.put(grad, &indices, zeros, IndexUpdate::Assign));
        }
        IndexUpdate::Multiply => multiply(write, &indices, grad, sink),
        IndexUpdate::Min | IndexUpdate::Max => extreme(write, &indices, grad, sink),
    }
}

/// The slope of a factor is the product of the others: the result over the factor, except where the factor is
/// zero. There it is the result without the factor, or zero when another factor of the position is zero too.
fn multiply(write: &Write<'_>, indices: &Tensor, grad: Tensor, sink: &mut Sink<'_>) {
    let (x, value) = (sink.value(write.x), sink.value(write.value));
    sink.add(write.value, || {
        let zero = B::compare_scalar(CompareOp::Equal, value.clone(), Scalar::Int(0));
        let count = B::cast(zero.clone(), grad.dtype());
        let count = write.put(zeros_like::<B>(&x), indices, count, IndexUpdate::Add);
        let alone = B::compare_scalar(CompareOp::Equal, write.get(count, indices), Scalar::Int(1));
        let alone = B::binary(BinaryOp::And, zero.clone(), alone);
        let product = |value: Tensor| {
            let product = write.put(x.clone(), indices, value, IndexUpdate::Multiply);
            write.get(mul::<B>(grad.clone(), product), indices)
        };
        let one_for = |mask: &Tensor| B::mask_fill(value.clone(), mask.clone(), Scalar::Int(1));
        let quotient = div::<B>(product(value.clone()), one_for(&zero));
        B::mask_where(alone.clone(), product(one_for(&alone)), quotient)
    });
    sink.add(write.x, || {
        let ones = B::full(write.x.spec.clone(), Scalar::Int(1), &B::device(&grad));
        mul::<B>(grad, write.put(ones, indices, value, IndexUpdate::Multiply))
    });
}

/// Computes the gradients of a minimum or maximum update: all elements equal to the extreme value share its
/// gradient evenly.
fn extreme(write: &Write<'_>, indices: &Tensor, grad: Tensor, sink: &mut Sink<'_>) {
    let (x, value) = (sink.value(write.x), sink.value(write.value));
    let result = write.put(x.clone(), indices, value.clone(), write.update);
    let loses = B::compare(CompareOp::NotEqual, x, result.clone());
    let fails = B::compare(CompareOp::NotEqual, value, write.get(result, indices));
    let wins = |mask: &Tensor| B::cast(B::unary(UnaryOp::Not, mask.clone()), grad.dtype());
    let ties = write.put(wins(&loses), indices, wins(&fails), IndexUpdate::Add);
    let share = div::<B>(grad.clone(), ties);
    sink.add(write.value, || B::mask_fill(write.get(share.clone(), indices), fails, Scalar::Int(0)));
    sink.add(write.x, || B::mask_fill(share, loses, Scalar::Int(0)));
}

/// Masks the gradient of assigned values: with duplicate indices the last write wins, the others get zero.
fn only_last(write: &Write<'_>, part: Tensor, indices: &Tensor) -> Tensor {
    let places = places(indices);
    if !write.slices {
        let board = integers(write.x.spec.shape.clone(), indices);
        let written = write.put(board, indices, places.clone(), IndexUpdate::Assign);
        return keep_equal(part, write.get(written, indices), places);
    }
    let board = integers([write.x.spec.shape[write.dim]].into(), indices);
    let written = B::select_assign(board, 0, indices.clone(), places.clone(), IndexUpdate::Assign);
    let mut line = Shape::from(Dims::repeat(1, part.spec().shape.rank()));
    line[write.dim] = indices.spec().shape[0];
    let written = B::reshape(B::select(written, 0, indices.clone()), line.clone());
    keep_equal(part, written, B::reshape(places, line))
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

/// Returns `part` where `written`, the position of the value that was written last, is the value's own
/// position; 0 elsewhere.
fn keep_equal(part: Tensor, written: Tensor, places: Tensor) -> Tensor {
    B::mask_fill(part, B::compare(CompareOp::NotEqual, written, places), Scalar::Int(0))
}
