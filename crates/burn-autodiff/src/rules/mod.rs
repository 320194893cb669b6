//! Derivatives. What a rule needs is said by [`saves`]; what it computes, by [`backward`].
//!
//! Convention: one file per family, two functions in it, one arm per operation in each. Rules neither
//! undo broadcasts nor ask who wants a gradient: [`Sink`] does both, once. They run on `B`, the backend
//! behind an object, so that this crate compiles them once and no program does.

mod binary;
mod conv;
mod index;
mod layout;
mod matmul;
mod reduce;
mod softmax;
mod unary;

use crate::checkpoint::Source;
use crate::{Checkpointer, Gradients, NodeRef, broadcast_shape};
use burn_backend::dynamic::{Dynamic as B, DynamicTensor as Tensor};
use burn_backend::{Backend, Operation, TensorSpec};

/// What an operation keeps for its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    Nothing,
    /// The operands in these positions, as bits.
    Inputs(u8),
    /// The last result (of several, the one that is not differentiable: indices).
    Output,
    /// The result is piecewise constant or not a float: no gradient flows.
    NotDifferentiable,
}

impl Saves {
    pub const FIRST: Saves = Saves::Inputs(0b1);
    pub const SECOND: Saves = Saves::Inputs(0b10);
    pub const BOTH: Saves = Saves::Inputs(0b11);

    pub fn input(self, position: usize) -> bool {
        matches!(self, Saves::Inputs(bits) if bits >> position & 1 == 1)
    }
}

/// An operand as the tape remembers it.
#[derive(Debug)]
pub struct Operand {
    pub spec: TensorSpec,
    pub parent: NodeRef,
    pub saved: Option<Source>,
}

/// A recorded call: operands, and the first result if it was saved.
pub struct Record {
    pub op: Operation<Operand>,
    pub output: Option<Source>,
}

/// Takes the gradients that rules compute.
pub struct Sink<'a> {
    pub gradients: &'a mut Gradients,
    pub checkpointer: &'a mut Checkpointer,
}

impl Sink<'_> {
    /// Computes and registers the gradient of `operand`, if somebody wants it.
    pub fn add(&mut self, operand: &Operand, gradient: impl FnOnce() -> Tensor) {
        if let Some(parent) = &operand.parent {
            let gradient = broadcast_shape::<B>(gradient(), &operand.spec.shape);
            self.gradients.add(parent.id, gradient);
        }
    }

    /// The value that [`saves`] asked for.
    pub fn value(&mut self, operand: &Operand) -> Tensor {
        self.restore(&operand.saved)
    }

    pub fn restore(&mut self, saved: &Option<Source>) -> Tensor {
        self.checkpointer.resolve(saved.clone().expect("`saves` names every value that the rule reads"))
    }
}

pub fn saves<T>(op: &Operation<T>) -> Saves {
    use Operation::*;
    match op {
        Unary { op, .. } => unary::saves(*op),
        Binary { op, .. } => binary::saves(*op),
        BinaryScalar { op, .. } => binary::saves_scalar(*op),
        Compare { .. } | CompareScalar { .. } => Saves::NotDifferentiable,
        MaskWhere { .. } => Saves::FIRST,
        Cast { dtype, .. } => {
            if dtype.is_float() {
                Saves::Nothing
            } else {
                Saves::NotDifferentiable
            }
        }
        Reduce { op, .. } => reduce::saves(*op),
        ReduceWithIndices { .. } => Saves::Output,
        Reshape { .. } | Permute { .. } | Expand { .. } => Saves::Nothing,
        Slice { .. } | SliceAssign { .. } | Cat { .. } => Saves::Nothing,
        Gather { .. } | Scatter { .. } => Saves::SECOND,
        Matmul { .. } | Conv(_) | ConvTranspose(_) | ConvWeightGrad(_) => Saves::BOTH,
        Softmax { .. } => Saves::Output,
    }
}

/// Whether computing again costs less than a trip of the value through memory.
pub fn is_memory_bound<T>(op: &Operation<T>) -> bool {
    use Operation::*;
    match op {
        Unary { .. } | Binary { .. } | BinaryScalar { .. } | Compare { .. } | CompareScalar { .. } => true,
        MaskWhere { .. } | Cast { .. } | Reshape { .. } | Permute { .. } | Expand { .. } | Slice { .. } => {
            true
        }
        SliceAssign { .. } | Cat { .. } | Gather { .. } | Scatter { .. } => true,
        Reduce { .. } | ReduceWithIndices { .. } | Softmax { .. } => false,
        Matmul { .. } | Conv(_) | ConvTranspose(_) | ConvWeightGrad(_) => false,
    }
}

pub fn backward(record: Record, grad: Tensor, sink: &mut Sink<'_>) {
    use Operation::*;
    let Record { op, output } = record;
    match op {
        Unary { op, x } => unary::backward(op, &x, &output, grad, sink),
        Binary { op, lhs, rhs } => binary::backward(op, &lhs, &rhs, grad, sink),
        BinaryScalar { op, lhs, rhs } => binary::backward_scalar(op, &lhs, rhs, grad, sink),
        Compare { .. } | CompareScalar { .. } => unreachable!("not differentiable"),
        MaskWhere { mask, on, off } => index::mask_where(&mask, &on, &off, grad, sink),
        Cast { x, .. } => sink.add(&x, || B::cast(grad, x.spec.dtype)),
        Reduce { op, x, dims } => reduce::backward(op, &x, dims, grad, sink),
        ReduceWithIndices { x, dim, .. } => index::with_indices(&x, dim, &output, grad, sink),
        Reshape { x, .. } => sink.add(&x, || B::reshape(grad, x.spec.shape.clone())),
        Permute { x, axes } => sink.add(&x, || layout::permute(grad, &axes)),
        Expand { x, .. } => sink.add(&x, || grad),
        Slice { x, slices } => sink.add(&x, || layout::slice(grad, slices, &x.spec)),
        SliceAssign { x, slices, value } => layout::slice_assign(&x, slices, &value, grad, sink),
        Cat { xs, dim } => layout::cat(&xs, dim, grad, sink),
        Gather { x, dim, indices } => index::gather(&x, dim, &indices, grad, sink),
        Scatter { x, dim, indices, value, update } => {
            index::scatter(&x, dim, &indices, &value, update, grad, sink);
        }
        Matmul { lhs, rhs } => matmul::backward(&lhs, &rhs, grad, sink),
        Conv(args) => conv::conv(*args, grad, sink),
        ConvTranspose(args) => conv::conv_transpose(*args, grad, sink),
        ConvWeightGrad(args) => conv::conv_weight_grad(*args, grad, sink),
        Softmax { x, dim } => softmax::backward(&x, dim, &output, grad, sink),
    }
}
