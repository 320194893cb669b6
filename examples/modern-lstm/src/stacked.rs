//! Layers and directions of cells.

use crate::cell::{CellState, LstmCell, LstmCellConfig};
use burn::nn::{Dropout, DropoutConfig};
use burn::prelude::*;

/// Sizes and extras of a [`StackedLstm`].
#[derive(Config, Debug)]
pub struct StackedLstmConfig {
    /// Number of features of the input.
    pub d_input: usize,
    /// Number of features of the hidden state of each direction.
    pub d_hidden: usize,
    /// Number of layers; each one reads the hidden states of the one before.
    #[config(default = 2)]
    pub num_layers: usize,
    /// Whether each layer also goes from the last step to the first.
    #[config(default = true)]
    pub bidirectional: bool,
    /// Whether the cells normalize.
    #[config(default = true)]
    pub layer_norm: bool,
    /// Dropout probability inside of the cells and between layers.
    #[config(default = 0.1)]
    pub dropout: f64,
}

impl StackedLstmConfig {
    /// Returns the network, on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> StackedLstm<B> {
        let directions = if self.bidirectional { 2 } else { 1 };
        let cell = |layer: usize| {
            let d_input = if layer == 0 { self.d_input } else { directions * self.d_hidden };
            LstmCellConfig::new(d_input, self.d_hidden)
                .with_layer_norm(self.layer_norm)
                .with_dropout(self.dropout)
                .init(device)
        };
        let layer = |at: usize| Layer { forward: cell(at), reverse: self.bidirectional.then(|| cell(at)) };
        StackedLstm {
            layers: (0..self.num_layers).map(layer).collect(),
            dropout: DropoutConfig::new(self.dropout).init(),
        }
    }
}

/// One layer: a cell for each direction.
#[derive(Module, Debug)]
pub struct Layer<B: Backend> {
    /// Goes from the first step to the last.
    pub forward: LstmCell<B>,
    /// Goes from the last step to the first.
    pub reverse: Option<LstmCell<B>>,
}

/// Layers of LSTM cells, with dropout between them (Zaremba, Sutskever and Vinyals 2014).
#[derive(Module, Debug)]
pub struct StackedLstm<B: Backend> {
    pub layers: Vec<Layer<B>>,
    dropout: Dropout,
}

impl<B: Backend> StackedLstm<B> {
    /// Returns the hidden states of the last layer at every step: `[batch, time, d_input]` to
    /// `[batch, time, directions d_hidden]`, the forward direction first.
    pub fn forward(&self, inputs: Tensor<B, 3>) -> Tensor<B, 3> {
        self.layers.iter().enumerate().fold(inputs, |inputs, (at, layer)| {
            let inputs = if at == 0 { inputs } else { self.dropout.forward(inputs) };
            layer.forward(inputs)
        })
    }
}

// ANCHOR: directions
impl<B: Backend> Layer<B> {
    /// Returns the hidden states of all steps, of both directions side by side.
    pub fn forward(&self, inputs: Tensor<B, 3>) -> Tensor<B, 3> {
        let time = inputs.dims()[1];
        let forward = run(&self.forward, inputs.clone(), 0..time);
        let Some(reverse) = &self.reverse else {
            return Tensor::stack(forward, 1);
        };
        let mut reverse = run(reverse, inputs, (0..time).rev());
        reverse.reverse();
        Tensor::cat(vec![Tensor::stack(forward, 1), Tensor::stack(reverse, 1)], 2)
    }
}

/// Goes through the steps of a sequence in an order, and returns the hidden states in that order.
fn run<B: Backend>(
    cell: &LstmCell<B>,
    inputs: Tensor<B, 3>,
    steps: impl Iterator<Item = usize>,
) -> Vec<Tensor<B, 2>> {
    let [batch, ..] = inputs.dims();
    let [d_hidden, _] = cell.hidden.weight.dims();
    let mut state = CellState::zeros(batch, d_hidden, &inputs.device());
    let projected = cell.project(inputs);
    steps
        .map(|step| {
            let gates = projected.clone().narrow(1, step, 1).squeeze_dim::<2>(1);
            state = cell.step(gates, state.clone());
            state.hidden.clone()
        })
        .collect()
}
// ANCHOR_END: directions
