//! Layers on top of each other, in one direction or in two.

use super::joined_gates::JoinedGates;
use super::{GateController, LstmState, SequenceLengths};
use crate::Dropout;
use alloc::vec::Vec;
use burn_core::tensor::backend::module_scope;
use burn_core::tensor::module::{RecurrentKind, RecurrentOptions, RecurrentState, linear, recurrent};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Tensor, TensorError};

/// The gates of one layer in one direction, in the order of the operation.
pub trait Gates<B: Backend> {
    fn gates(&self) -> Vec<&GateController<B>>;
}

/// Recurrent layers as their modules have them.
pub struct Stack<'a, B: Backend> {
    /// The name of the layer in errors.
    pub name: &'static str,
    pub kind: RecurrentKind,
    /// Gates by direction and layer.
    directions: Vec<Vec<Vec<&'a GateController<B>>>>,
    pub dropout: &'a Dropout,
    pub d_input: usize,
    pub d_hidden: usize,
    pub batch_first: bool,
}

/// States of all layers and directions, `[layers directions, batch, d_hidden]`.
pub struct StackState<B: Backend> {
    pub hidden: Tensor<B, 3>,
    pub cell: Option<Tensor<B, 3>>,
}

/// Hidden states of the last layer at each step, and all states after the last step.
pub type Output<B> = (Tensor<B, 3>, StackState<B>);

/// Runs a stack as the operation `name`; the state has no cells.
#[track_caller]
pub fn forward_hidden<'a, B: Backend>(
    name: &'static str,
    stack: impl FnOnce() -> Stack<'a, B>,
    x: Tensor<B, 3>,
    lengths: Option<SequenceLengths>,
    state: Option<Tensor<B, 3>>,
) -> Result<(Tensor<B, 3>, Tensor<B, 3>), TensorError> {
    try_in_operation(name, || {
        let state = state.map(|hidden| StackState { hidden, cell: None });
        let (y, state) = stack().forward(x, lengths, state)?;
        Ok((y, state.hidden))
    })
}

/// Runs a stack of LSTMs as the operation `name`.
#[track_caller]
pub fn forward_lstm<'a, B: Backend>(
    name: &'static str,
    stack: impl FnOnce() -> Stack<'a, B>,
    x: Tensor<B, 3>,
    lengths: Option<SequenceLengths>,
    state: Option<LstmState<B>>,
) -> Result<(Tensor<B, 3>, LstmState<B>), TensorError> {
    try_in_operation(name, || {
        let state = state.map(|LstmState { cell, hidden }| StackState { hidden, cell: Some(cell) });
        let (y, StackState { hidden, cell }) = stack().forward(x, lengths, state)?;
        let cell = cell.expect("an LSTM has cell states");
        Ok((y, LstmState { cell, hidden }))
    })
}

impl<'a, B: Backend> Stack<'a, B> {
    /// Creates the stack; the sizes are those of the first layer.
    pub fn new<G: Gates<B>>(
        name: &'static str,
        kind: RecurrentKind,
        directions: &[&'a [G]],
        dropout: &'a Dropout,
        batch_first: bool,
    ) -> Self {
        let of = |layers: &&'a [G]| layers.iter().map(G::gates).collect::<Vec<_>>();
        let directions: Vec<Vec<_>> = directions.iter().map(of).collect();
        let [d_input, d_hidden] = directions[0][0][0].input_transform.weight.dims();
        Stack { name, kind, directions, dropout, d_input, d_hidden, batch_first }
    }

    fn layers(&self) -> usize {
        self.directions[0].len()
    }

    /// Goes through `x`, `[batch, time, d_input]`, or `[time, batch, d_input]` unless the batch is first.
    #[track_caller]
    pub fn forward(
        &self,
        x: Tensor<B, 3>,
        lengths: Option<SequenceLengths>,
        state: Option<StackState<B>>,
    ) -> Result<Output<B>, TensorError> {
        let dims = x.dims();
        if dims[2] != self.d_input {
            let message = format_args!(
                "wrong last dimension of the input; expected [.., {}], got {dims:?}",
                self.d_input
            );
            return Err(TensorError::argument(self.name, message));
        }
        let [time, batch] = if self.batch_first { [dims[1], dims[0]] } else { [dims[0], dims[1]] };
        let lengths = lengths.map(|lengths| lengths.checked(self.name, batch, time)).transpose()?;
        let state = self.initial(state, batch, &x)?;
        let mut x = if self.batch_first { x.swap_dims(0, 1) } else { x };
        let (mut hidden, mut cells) = (Vec::new(), Vec::new());
        for layer in 0..self.layers() {
            let mut outputs = Vec::new();
            for (direction, layers) in self.directions.iter().enumerate() {
                let at = layer * self.directions.len() + direction;
                let options =
                    RecurrentOptions { kind: self.kind, reverse: direction == 1, lengths: lengths.clone() };
                let before = self.state_at(&state, at, batch);
                let (output, last) = self.run(x.clone(), &layers[layer], before, options);
                outputs.push(output);
                hidden.push(last.hidden);
                cells.extend(last.cell);
            }
            x = if outputs.len() == 1 { outputs.remove(0) } else { Tensor::cat(outputs, 2) };
            if layer + 1 < self.layers() {
                x = self.dropout.forward(x);
            }
        }
        // Calls after the last layer belong to the module that holds the stack.
        module_scope::rise(1);
        let cell = (!cells.is_empty()).then(|| Tensor::stack(cells, 0));
        let output = if self.batch_first { x.swap_dims(0, 1) } else { x };
        Ok((output, StackState { hidden: Tensor::stack(hidden, 0), cell }))
    }

    /// One layer in one direction over `[time, batch, ..]`.
    fn run(
        &self,
        x: Tensor<B, 3>,
        gates: &[&GateController<B>],
        state: RecurrentState<B>,
        options: RecurrentOptions,
    ) -> (Tensor<B, 3>, RecurrentState<B>) {
        let [time, batch, size] = x.dims();
        let joined = JoinedGates::new(gates, self.kind == RecurrentKind::Gru);
        // One product for all steps.
        let projected = linear(x.reshape([time * batch, size]), joined.input, joined.bias);
        let columns = gates.len() * self.d_hidden;
        let projected = projected.reshape([time, batch, columns]);
        recurrent(projected, joined.hidden, joined.inner_bias, state, options)
    }

    /// The states that were given, or zeros.
    #[track_caller]
    fn initial(
        &self,
        state: Option<StackState<B>>,
        batch: usize,
        x: &Tensor<B, 3>,
    ) -> Result<StackState<B>, TensorError> {
        let expected = [self.layers() * self.directions.len(), batch, self.d_hidden];
        let Some(state) = state else {
            let zeros = || Tensor::zeros(expected, &x.device()).cast(x.dtype());
            let cell = (self.kind == RecurrentKind::Lstm).then(zeros);
            return Ok(StackState { hidden: zeros(), cell });
        };
        let given = [("hidden", Some(&state.hidden)), ("cell", state.cell.as_ref())];
        for (what, tensor) in given {
            let Some(found) = tensor.map(Tensor::dims) else { continue };
            if found != expected {
                let message = format_args!(
                    "wrong shape of the {what} state; expected {expected:?} (layers and directions, batch, \
                     d_hidden), got {found:?}"
                );
                return Err(TensorError::argument(self.name, message));
            }
        }
        Ok(state)
    }

    fn state_at(&self, state: &StackState<B>, at: usize, batch: usize) -> RecurrentState<B> {
        let one = |x: &Tensor<B, 3>| x.clone().narrow(0, at, 1).reshape([batch, self.d_hidden]);
        RecurrentState { hidden: one(&state.hidden), cell: state.cell.as_ref().map(one) }
    }
}
