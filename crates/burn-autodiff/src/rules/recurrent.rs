use super::{B, Operand, Saves, Sink, Tensor};
use crate::checkpoint::SavedTensor;
use burn_backend::ops::{mul, sum_dims};
use burn_backend::reference::recurrent_previous;
use burn_backend::{
    Dims, HasSpec, RecurrentArgs, RecurrentGradArgs, RecurrentKind, Shape, Slice, TypedCalls,
};
use core::ops::Range;

/// Returns the saved operands: weight and initial states; gates and bias are not read.
pub fn saves<T>(args: &RecurrentArgs<T>) -> Saves {
    Saves::InputsAndOutputs(if args.cell.is_some() { 0b1110 } else { 0b110 })
}

/// Computes the gradients: of gates and states backwards through the steps, of the weight as one product over
/// all steps.
pub fn recurrent(
    args: RecurrentArgs<Operand>,
    [states, activations]: [&Option<SavedTensor>; 2],
    grad: Tensor,
    sink: &mut Sink<'_>,
) {
    let (states, activations) = (sink.restore(states), sink.restore(activations));
    let (weight, hidden) = (sink.value(&args.weight), sink.value(&args.hidden));
    let cell = args.cell.as_ref().map(|cell| sink.value(cell));
    let RecurrentArgs { kind, reverse, .. } = args;
    let initial = match kind {
        RecurrentKind::Tanh | RecurrentKind::Relu => None,
        RecurrentKind::Gru | RecurrentKind::GruResetBefore => Some(hidden.clone()),
        RecurrentKind::Lstm => cell,
    };
    let (gates_grad, initial_grad) = B::recurrent_grad(RecurrentGradArgs {
        kind,
        grad,
        states: states.clone(),
        activations: activations.clone(),
        weight,
        initial,
        lengths: args.lengths.clone(),
        reverse,
    });
    let state = |at: usize| {
        let part = B::slice(initial_grad.clone(), [Slice::from(at..at + 1)].into_iter().collect());
        B::reshape(part, args.hidden.spec.shape.clone())
    };
    sink.add(&args.hidden, || state(0));
    if let Some(cell) = &args.cell {
        sink.add(cell, || state(1));
    }
    let size = hidden.spec().shape[1];
    if let Some(bias) = &args.bias {
        sink.add(bias, || {
            let product = mul::<B>(candidate_grad(&gates_grad, size), reset_gate(&activations, size));
            B::reshape(sum_dims::<B>(product, Dims::from([0, 1])), Shape::from([size]))
        });
    }
    if args.weight.parent.is_some() {
        let time = gates_grad.spec().shape[0];
        let previous = recurrent_previous::<B>(states, hidden, time, args.lengths.as_deref(), reverse);
        add_weight_grad(kind, &args.weight, previous, &gates_grad, &activations, sink);
    }
    sink.add(&args.gates, || gates_grad);
}

/// Adds the gradient of the weight: one product of the hidden states before the steps with the gradients of
/// the gates.
fn add_weight_grad(
    kind: RecurrentKind,
    weight: &Operand,
    previous: Tensor,
    gates_grad: &Tensor,
    activations: &Tensor,
    sink: &mut Sink<'_>,
) {
    let size = previous.spec().shape[2];
    match kind {
        RecurrentKind::Tanh | RecurrentKind::Relu | RecurrentKind::Lstm => {
            sink.add_product(weight, rows(previous), rows(gates_grad.clone()));
        }
        RecurrentKind::Gru => {
            let candidate = mul::<B>(candidate_grad(gates_grad, size), reset_gate(activations, size));
            let products = B::cat([columns(gates_grad, 0..2 * size), candidate].into(), 2);
            sink.add_product(weight, rows(previous), rows(products));
        }
        RecurrentKind::GruResetBefore => {
            let inner = rows(mul::<B>(previous.clone(), reset_gate(activations, size)));
            let outer = [
                outer(rows(previous), rows(columns(gates_grad, 0..2 * size))),
                outer(inner, rows(candidate_grad(gates_grad, size))),
            ];
            sink.add(weight, || B::cat(outer.into(), 1));
        }
    }
}

/// Reset gates of a GRU.
fn reset_gate(activations: &Tensor, size: usize) -> Tensor {
    columns(activations, 0..size)
}

/// Gradients of the candidate states of a GRU.
fn candidate_grad(gates_grad: &Tensor, size: usize) -> Tensor {
    columns(gates_grad, 2 * size..3 * size)
}

/// Some columns of `[time, batch, columns]`.
fn columns(x: &Tensor, range: Range<usize>) -> Tensor {
    let shape = &x.spec().shape;
    let slices = [Slice::from(0..shape[0]), Slice::from(0..shape[1]), Slice::from(range)];
    B::slice(x.clone(), slices.into_iter().collect())
}

/// All steps of all sequences as rows of a matrix.
fn rows(x: Tensor) -> Tensor {
    let shape = x.shape();
    B::reshape(x, Shape::from([shape[0] * shape[1], shape[2]]))
}

/// `lhs^T rhs`.
fn outer(lhs: Tensor, rhs: Tensor) -> Tensor {
    B::matmul(burn_backend::ops::transpose::<B>(lhs), rhs)
}
