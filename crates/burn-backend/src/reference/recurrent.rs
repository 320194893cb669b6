//! Recurrent networks step by step.

use super::precision::{narrow, wide};
use crate::{Backend, ops};
use alloc::vec;
use alloc::vec::Vec;
use burn_ir::{
    BinaryOp, HasSpec, RecurrentArgs, RecurrentGradArgs, RecurrentKind, Scalar, Shape, Slice, TensorData,
    TensorSpec, UnaryOp,
};
use core::ops::Range;

/// Times of the steps, in the order in which they are gone through.
fn order(time: usize, reverse: bool) -> impl DoubleEndedIterator<Item = usize> {
    (0..time).map(move |step| if reverse { time - 1 - step } else { step })
}

/// Returns entry `at` of the first dimension, without it.
fn entry<B: Backend>(x: &B::Tensor, at: usize) -> B::Tensor {
    let shape = Shape::from(&x.spec().shape[1..]);
    B::reshape(B::slice(x.clone(), [Slice::from(at..at + 1)].into_iter().collect()), shape)
}

/// Entries of one shape along a new first dimension. There is at least one.
fn stacked<B: Backend>(entries: Vec<B::Tensor>) -> B::Tensor {
    let row = |x: B::Tensor| {
        let shape = core::iter::once(1).chain(x.spec().shape.iter().copied()).collect();
        B::reshape(x, shape)
    };
    B::cat(entries.into_iter().map(row).collect(), 0)
}

/// Returns the columns of part `at`, each part having `size` columns: of a matrix, or of the last dimension.
fn part<B: Backend>(x: &B::Tensor, at: usize, size: usize) -> B::Tensor {
    parts::<B>(x, at..at + 1, size)
}

fn parts<B: Backend>(x: &B::Tensor, range: Range<usize>, size: usize) -> B::Tensor {
    let shape = &x.spec().shape;
    let whole = shape[..shape.rank() - 1].iter().map(|&size| Slice::from(0..size));
    let slices = whole.chain([Slice::from(range.start * size..range.end * size)]).collect();
    B::slice(x.clone(), slices)
}

fn unary<B: Backend>(op: UnaryOp, x: B::Tensor) -> B::Tensor {
    B::unary(op, x)
}

/// Computes `x (1 - x)`, the derivative of the logistic function where its value is `x`.
fn logistic_slope<B: Backend>(x: &B::Tensor) -> B::Tensor {
    ops::mul::<B>(x.clone(), ops::one_minus::<B>(x.clone()))
}

/// Computes `1 - x^2`, the derivative of the hyperbolic tangent where its value is `x`.
fn tanh_slope<B: Backend>(x: &B::Tensor) -> B::Tensor {
    ops::one_minus::<B>(ops::square::<B>(x.clone()))
}

/// Returns a mask that is true where a sequence has ended, `[time, batch, 1]`; `None` if all sequences have
/// full length.
fn padding<B: Backend>(lengths: Option<&[usize]>, time: usize, device: &B::Device) -> Option<B::Tensor> {
    let lengths = lengths.filter(|lengths| lengths.iter().any(|&length| length < time))?;
    let ended: Vec<bool> = (0..time).flat_map(|at| lengths.iter().map(move |&length| at >= length)).collect();
    Some(B::from_data(TensorData::new(ended, [time, lengths.len(), 1]), device))
}

/// State of all sequences between two steps.
struct State<T> {
    hidden: T,
    cell: Option<T>,
}

/// A network without its input.
struct Network<T> {
    kind: RecurrentKind,
    weight: T,
    bias: Option<T>,
    /// Number of units.
    size: usize,
}

impl<T: HasSpec + Clone> Network<T> {
    /// Computes the state after a step, and its activations, one after the other.
    fn step<B: Backend<Tensor = T>>(&self, x: &T, state: &State<T>) -> (State<T>, Vec<T>) {
        let State { hidden, cell } = state;
        let size = self.size;
        let product = |h: &T, gates| B::matmul(h.clone(), parts::<B>(&self.weight, gates, size));
        let sum =
            |at: usize, products: &T| ops::add::<B>(part::<B>(x, at, size), part::<B>(products, at, size));
        let sigmoid = |x| unary::<B>(UnaryOp::Sigmoid, x);
        let tanh = |x| unary::<B>(UnaryOp::Tanh, x);
        match self.kind {
            RecurrentKind::Tanh | RecurrentKind::Relu => {
                let op = if self.kind == RecurrentKind::Tanh { UnaryOp::Tanh } else { UnaryOp::Relu };
                let hidden = unary::<B>(op, sum(0, &product(hidden, 0..1)));
                (State { hidden, cell: None }, Vec::new())
            }
            RecurrentKind::Gru => {
                let products = product(hidden, 0..3);
                let [reset, update] = [0, 1].map(|at| sigmoid(sum(at, &products)));
                let own = part::<B>(&products, 2, size);
                let own = match &self.bias {
                    Some(bias) => ops::add::<B>(own, B::reshape(bias.clone(), [1, size].into())),
                    None => own,
                };
                let inner = ops::mul::<B>(reset.clone(), own.clone());
                let new = tanh(ops::add::<B>(part::<B>(x, 2, size), inner));
                (mixed::<B>(&new, &update, hidden), vec![reset, update, new, own])
            }
            RecurrentKind::GruResetBefore => {
                let products = product(hidden, 0..2);
                let [reset, update] = [0, 1].map(|at| sigmoid(sum(at, &products)));
                let inner = product(&ops::mul::<B>(reset.clone(), hidden.clone()), 2..3);
                let new = tanh(ops::add::<B>(part::<B>(x, 2, size), inner));
                (mixed::<B>(&new, &update, hidden), vec![reset, update, new])
            }
            RecurrentKind::Lstm => {
                let products = product(hidden, 0..4);
                let [input, forget, output] = [0, 1, 3].map(|at| sigmoid(sum(at, &products)));
                let new = tanh(sum(2, &products));
                let kept = match cell {
                    Some(cell) => ops::mul::<B>(forget.clone(), cell.clone()),
                    None => unreachable!("an LSTM has a cell state"),
                };
                let cell = ops::add::<B>(kept, ops::mul::<B>(input.clone(), new.clone()));
                let hidden = ops::mul::<B>(output.clone(), tanh(cell.clone()));
                (State { hidden, cell: Some(cell.clone()) }, vec![input, forget, new, output, cell])
            }
        }
    }

    /// Computes the gradients by the gates of a step, and by the state before it, from those by the state
    /// after it.
    fn step_back<B: Backend<Tensor = T>>(&self, saved: &Saved<T>, grad: State<T>) -> (T, State<T>) {
        let State { hidden: grad, cell: cell_grad } = grad;
        match self.kind {
            RecurrentKind::Tanh | RecurrentKind::Relu => {
                let gates = if self.kind == RecurrentKind::Tanh {
                    ops::mul::<B>(grad, tanh_slope::<B>(&saved.hidden))
                } else {
                    B::binary(BinaryOp::ReluGrad, saved.hidden.clone(), grad)
                };
                (gates.clone(), State { hidden: self.back::<B>(gates, 0..1), cell: None })
            }
            RecurrentKind::Gru | RecurrentKind::GruResetBefore => self.gru_back::<B>(saved, grad),
            RecurrentKind::Lstm => self.lstm_back::<B>(saved, grad, cell_grad),
        }
    }

    /// Computes the gradient by the hidden state from those by its products with the weights of some gates.
    fn back<B: Backend<Tensor = T>>(&self, gates: T, range: Range<usize>) -> T {
        B::matmul(gates, ops::transpose::<B>(parts::<B>(&self.weight, range, self.size)))
    }

    /// See [`Network::step_back`].
    fn gru_back<B: Backend<Tensor = T>>(&self, saved: &Saved<T>, grad: T) -> (T, State<T>) {
        let [reset, update, new] = [0, 1, 2].map(|at| saved.activation::<B>(at, self.size));
        let hidden = saved.initial();
        let moved = ops::sub::<B>(hidden.clone(), new.clone());
        let update_grad = product::<B>(&[&grad, &moved, &logistic_slope::<B>(&update)]);
        let new_grad = product::<B>(&[&grad, &ops::one_minus::<B>(update.clone()), &tanh_slope::<B>(&new)]);
        let direct = ops::mul::<B>(grad, update);
        let reset_slope = logistic_slope::<B>(&reset);
        if self.kind == RecurrentKind::Gru {
            let reset_grad = product::<B>(&[&new_grad, &saved.activation::<B>(3, self.size), &reset_slope]);
            let own = ops::mul::<B>(new_grad.clone(), reset);
            let products = B::cat(vec![reset_grad.clone(), update_grad.clone(), own], 1);
            let hidden = ops::add::<B>(self.back::<B>(products, 0..3), direct);
            let gates = B::cat(vec![reset_grad, update_grad, new_grad], 1);
            return (gates, State { hidden, cell: None });
        }
        let inner = self.back::<B>(new_grad.clone(), 2..3);
        let reset_grad = product::<B>(&[&inner, &hidden, &reset_slope]);
        let gates = B::cat(vec![reset_grad, update_grad], 1);
        let through = ops::add::<B>(direct, ops::mul::<B>(inner, reset));
        let hidden = ops::add::<B>(self.back::<B>(gates.clone(), 0..2), through);
        (B::cat(vec![gates, new_grad], 1), State { hidden, cell: None })
    }

    /// See [`Network::step_back`].
    fn lstm_back<B: Backend<Tensor = T>>(
        &self,
        saved: &Saved<T>,
        grad: T,
        cell_grad: Option<T>,
    ) -> (T, State<T>) {
        let [input, forget, new, output, cell] =
            [0, 1, 2, 3, 4].map(|at| saved.activation::<B>(at, self.size));
        let shown = unary::<B>(UnaryOp::Tanh, cell);
        let output_grad = product::<B>(&[&grad, &shown, &logistic_slope::<B>(&output)]);
        let through = product::<B>(&[&grad, &output, &tanh_slope::<B>(&shown)]);
        let cell_grad = match cell_grad {
            Some(cell_grad) => ops::add::<B>(cell_grad, through),
            None => through,
        };
        let input_grad = product::<B>(&[&cell_grad, &new, &logistic_slope::<B>(&input)]);
        let forget_grad = product::<B>(&[&cell_grad, &saved.initial(), &logistic_slope::<B>(&forget)]);
        let new_grad = product::<B>(&[&cell_grad, &input, &tanh_slope::<B>(&new)]);
        let gates = B::cat(vec![input_grad, forget_grad, new_grad, output_grad], 1);
        let cell = ops::mul::<B>(cell_grad, forget);
        (gates.clone(), State { hidden: self.back::<B>(gates, 0..4), cell: Some(cell) })
    }
}

/// Multiplies tensors of one shape.
fn product<B: Backend>(factors: &[&B::Tensor]) -> B::Tensor {
    let mut factors = factors.iter().map(|&factor| factor.clone());
    let first = factors.next().expect("a product has a factor");
    factors.fold(first, ops::mul::<B>)
}

/// Values of the forward pass that the gradients of a step are computed from.
struct Saved<T> {
    /// Hidden state after the step.
    hidden: T,
    /// The state before it that gates multiply.
    before: Option<T>,
    activations: Option<T>,
}

impl<T: HasSpec + Clone> Saved<T> {
    fn activation<B: Backend<Tensor = T>>(&self, at: usize, size: usize) -> T {
        match &self.activations {
            Some(activations) => part::<B>(activations, at, size),
            None => unreachable!("only kinds with activations read them"),
        }
    }

    fn initial(&self) -> T {
        self.before.clone().expect("the state before the step is an operand of its gates")
    }
}

/// Computes `(1 - update) new + update hidden`.
fn mixed<B: Backend>(new: &B::Tensor, update: &B::Tensor, hidden: &B::Tensor) -> State<B::Tensor> {
    let moved = ops::sub::<B>(hidden.clone(), new.clone());
    let hidden = ops::add::<B>(new.clone(), ops::mul::<B>(update.clone(), moved));
    State { hidden, cell: None }
}

/// See [`RecurrentArgs`].
pub fn recurrent<B: Backend>(args: RecurrentArgs<B::Tensor>) -> (B::Tensor, B::Tensor) {
    let dtype = args.gates.dtype();
    let RecurrentArgs { kind, gates, weight, hidden, cell, bias, lengths, reverse, keep_activations } =
        args.map(wide::<B>);
    let (shape, device, computed) = (gates.shape(), B::device(&gates), gates.dtype());
    let (time, batch, size) = (shape[0], shape[1], weight.spec().shape[0]);
    let keep_activations = keep_activations && kind.activations() > 0;
    let width = if keep_activations { kind.activations() * size } else { 0 };
    if batch * size == 0 {
        let zeros = |shape: [usize; 3]| B::full(TensorSpec::new(shape, dtype), Scalar::Int(0), &device);
        return (zeros([time + kind.states(), batch, size]), zeros([time, batch, width]));
    }
    let padding = padding::<B>(lengths.as_deref(), time, &device);
    let network = Network { kind, weight, bias, size };
    let mut state = State { hidden, cell };
    let mut outputs: Vec<Option<B::Tensor>> = vec![None; time];
    let mut kept_activations: Vec<Option<B::Tensor>> = vec![None; time];
    for at in order(time, reverse) {
        let (next, activations) = network.step::<B>(&entry::<B>(&gates, at), &state);
        let mut activations = keep_activations.then(|| B::cat(activations, 1));
        let mut output = next.hidden.clone();
        state = match padding.as_ref().map(|padding| entry::<B>(padding, at)) {
            None => next,
            Some(ended) => {
                output = B::mask_fill(output, ended.clone(), Scalar::Int(0));
                activations = activations.map(|x| B::mask_fill(x, ended.clone(), Scalar::Int(0)));
                let kept = |old, new| B::mask_where(ended.clone(), old, new);
                let cell = state.cell.zip(next.cell).map(|(old, new)| kept(old, new));
                State { hidden: kept(state.hidden, next.hidden), cell }
            }
        };
        outputs[at] = Some(output);
        kept_activations[at] = activations;
    }
    let last = [Some(state.hidden), state.cell];
    let states = outputs.into_iter().chain(last).flatten().collect();
    let activations: Vec<_> = kept_activations.into_iter().flatten().collect();
    let activations = if activations.is_empty() {
        B::full(TensorSpec::new([time, batch, width], computed), Scalar::Int(0), &device)
    } else {
        stacked::<B>(activations)
    };
    (narrow::<B>(stacked::<B>(states), dtype), narrow::<B>(activations, dtype))
}

/// See [`RecurrentGradArgs`].
pub fn recurrent_grad<B: Backend>(args: RecurrentGradArgs<B::Tensor>) -> (B::Tensor, B::Tensor) {
    let dtype = args.grad.dtype();
    let RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse } =
        args.map(wide::<B>);
    let (device, computed, size) = (B::device(&grad), grad.dtype(), weight.spec().shape[0]);
    let shape = grad.shape();
    let (time, batch) = (shape[0] - kind.states(), shape[1]);
    if batch * size == 0 {
        let zeros = |shape: [usize; 3]| B::full(TensorSpec::new(shape, dtype), Scalar::Int(0), &device);
        return (zeros([time, batch, kind.gates() * size]), zeros([kind.states(), batch, size]));
    }
    let lengths = lengths.as_deref();
    let padding = padding::<B>(lengths, time, &device);
    let before = initial.map(|initial| {
        let after = match kind {
            RecurrentKind::Lstm => part::<B>(&activations, 4, size),
            RecurrentKind::Tanh | RecurrentKind::Relu => states.clone(),
            RecurrentKind::Gru | RecurrentKind::GruResetBefore => states.clone(),
        };
        recurrent_previous::<B>(after, initial, time, lengths, reverse)
    });
    let network = Network { kind, weight, bias: None, size };
    let cell = (kind.states() > 1).then(|| entry::<B>(&grad, time + 1));
    let mut state = State { hidden: entry::<B>(&grad, time), cell };
    let mut gates: Vec<Option<B::Tensor>> = vec![None; time];
    for at in order(time, reverse).rev() {
        let saved = Saved {
            hidden: entry::<B>(&states, at),
            before: before.as_ref().map(|before| entry::<B>(before, at)),
            activations: (kind.activations() > 0).then(|| entry::<B>(&activations, at)),
        };
        let whole = State {
            hidden: ops::add::<B>(state.hidden.clone(), entry::<B>(&grad, at)),
            cell: state.cell.clone(),
        };
        let (mut step, before) = network.step_back::<B>(&saved, whole);
        state = match padding.as_ref().map(|padding| entry::<B>(padding, at)) {
            None => before,
            Some(ended) => {
                step = B::mask_fill(step, ended.clone(), Scalar::Int(0));
                let kept = |old, new| B::mask_where(ended.clone(), old, new);
                let cell = state.cell.zip(before.cell).map(|(old, new)| kept(old, new));
                State { hidden: kept(state.hidden, before.hidden), cell }
            }
        };
        gates[at] = Some(step);
    }
    let gates: Vec<_> = gates.into_iter().flatten().collect();
    let gates = if gates.is_empty() {
        B::full(TensorSpec::new([time, batch, kind.gates() * size], computed), Scalar::Int(0), &device)
    } else {
        stacked::<B>(gates)
    };
    let initial = stacked::<B>([Some(state.hidden), state.cell].into_iter().flatten().collect());
    (narrow::<B>(gates, dtype), narrow::<B>(initial, dtype))
}

/// Returns the states before each step, `[time, batch, hidden]`: `initial` before the first step of each
/// sequence, and the states after the previous step elsewhere. `after` has these in its first entries, and
/// zeros where a sequence has ended.
pub fn recurrent_previous<B: Backend>(
    after: B::Tensor,
    initial: B::Tensor,
    time: usize,
    lengths: Option<&[usize]>,
    reverse: bool,
) -> B::Tensor {
    let shape = initial.shape();
    let first = B::reshape(initial, [1, shape[0], shape[1]].into());
    let entries =
        |range: core::ops::Range<usize>| B::slice(after.clone(), [Slice::from(range)].into_iter().collect());
    if time == 0 {
        return entries(0..0);
    }
    if !reverse {
        return if time == 1 { first } else { B::cat(vec![first, entries(0..time - 1)], 0) };
    }
    let all = if time == 1 { first.clone() } else { B::cat(vec![entries(1..time), first.clone()], 0) };
    let Some(lengths) = lengths.filter(|lengths| lengths.iter().any(|&length| length < time)) else {
        return all;
    };
    let starts: Vec<bool> =
        (0..time).flat_map(|at| lengths.iter().map(move |&length| at + 1 == length)).collect();
    let starts = B::from_data(TensorData::new(starts, [time, shape[0], 1]), &B::device(&all));
    B::mask_where(starts, first, all)
}
