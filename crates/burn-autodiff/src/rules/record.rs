//! Records of calls, and the sink of gradients.

use crate::checkpoint::SavedTensor;
use crate::{Checkpointer, Gradients, NodeRef, broadcast_shape};
use burn_backend::dynamic::{Dynamic as B, DynamicTensor as Tensor};
use burn_backend::ops::{add, transpose};
use burn_backend::{Backend, HasSpec, Operation, Scalar, Slices, TensorSpec, TypedCalls};

/// Values that an operation saves for its gradient rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    Nothing,
    /// The operands in these positions, as bits.
    Inputs(u8),
    /// Each of two operands whose gradient reads the other: only what a tracked neighbour needs.
    EachOther,
    /// The last result (of several, the one that is not differentiable: indices).
    Output,
    /// The operands in these positions, and the last result.
    InputsAndOutput(u8),
    /// The operands in these positions, and both results.
    InputsAndOutputs(u8),
}

impl Saves {
    pub const FIRST: Saves = Saves::Inputs(0b1);
    pub const SECOND: Saves = Saves::Inputs(0b10);
    pub const BOTH: Saves = Saves::Inputs(0b11);
    pub const THREE: Saves = Saves::Inputs(0b111);

    /// Returns whether the operand in `position` is saved; the bits of `tracked` are the positions that
    /// require a gradient.
    pub fn input(self, position: usize, tracked: u8) -> bool {
        match self {
            Saves::Inputs(bits) | Saves::InputsAndOutput(bits) | Saves::InputsAndOutputs(bits) => {
                bits >> position & 1 == 1
            }
            Saves::EachOther => position < 2 && tracked >> (1 - position) & 1 == 1,
            Saves::Nothing | Saves::Output => false,
        }
    }

    /// Returns whether the last result is saved.
    pub fn output(self) -> bool {
        matches!(self, Saves::Output | Saves::InputsAndOutput(_) | Saves::InputsAndOutputs(_))
    }

    /// Returns whether the first of several results is saved besides the last one.
    pub fn first_output(self) -> bool {
        matches!(self, Saves::InputsAndOutputs(_))
    }
}

/// Operand of a recorded call.
#[derive(Debug)]
pub struct Operand {
    pub spec: TensorSpec,
    pub parent: NodeRef,
    pub saved: Option<SavedTensor>,
}

/// Record of a call: operands, and the last result and the first of several if they were saved.
pub struct Record {
    pub op: Operation<Operand>,
    pub output: Option<SavedTensor>,
    pub first: Option<SavedTensor>,
}

/// Sink for the gradients that rules compute.
pub struct Sink<'a> {
    pub gradients: &'a mut Gradients,
    pub checkpointer: &'a mut Checkpointer,
}

impl Sink<'_> {
    /// Computes and registers the gradient of `operand`, if it is required.
    pub fn add(&mut self, operand: &Operand, gradient: impl FnOnce() -> Tensor) {
        if let Some(parent) = &operand.parent {
            let gradient = broadcast_shape::<B>(gradient(), &operand.spec.shape);
            self.gradients.add(parent.id, gradient);
        }
    }

    /// Registers `lhs^T grad` as the gradient of `operand`, if it is required: see [`crate::products`].
    pub fn add_product(&mut self, operand: &Operand, lhs: Tensor, grad: Tensor) {
        if operand.spec.shape.rank() != 2 || grad.spec().shape.rank() != 2 {
            return self.add(operand, || B::matmul(transpose::<B>(lhs), grad));
        }
        if let Some(parent) = &operand.parent {
            self.gradients.add_product(parent.id, lhs, grad);
        }
    }

    /// Registers a gradient of a part of `operand`: added in its place where there is a gradient already, so
    /// that taking a tensor apart costs no more than the tensor.
    pub fn add_part(&mut self, operand: &Operand, slices: Slices, part: Tensor) {
        let Some(parent) = &operand.parent else { return };
        let gradient = match self.gradients.remove(parent.id) {
            Some(sum) => {
                let part = add::<B>(B::slice(sum.clone(), slices.clone()), part);
                B::slice_assign(sum, slices, part)
            }
            None => {
                let zeros = B::full(operand.spec.clone(), Scalar::Int(0), &B::device(&part));
                B::slice_assign(zeros, slices, part)
            }
        };
        self.gradients.add(parent.id, gradient);
    }

    /// Returns the value of one of two operands that read each other, if `reader` requires a gradient.
    pub fn other(&mut self, operand: &Operand, reader: &Operand) -> Option<Tensor> {
        reader.parent.is_some().then(|| self.value(operand))
    }

    /// Returns the value that was saved by [`saves`](super::saves).
    pub fn value(&mut self, operand: &Operand) -> Tensor {
        self.restore(&operand.saved)
    }

    pub fn restore(&mut self, saved: &Option<SavedTensor>) -> Tensor {
        self.checkpointer.resolve(saved.clone().expect("`saves` names every value that the rule reads"))
    }
}
