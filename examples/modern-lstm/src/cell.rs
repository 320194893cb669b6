//! One step of an LSTM.

use burn::nn::{Dropout, DropoutConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::prelude::*;
use burn::tensor::activation::sigmoid;

/// Sizes and extras of an [`LstmCell`].
#[derive(Config, Debug)]
pub struct LstmCellConfig {
    /// Number of features of the input.
    pub d_input: usize,
    /// Number of features of the hidden state.
    pub d_hidden: usize,
    /// Whether the projections and the cell state are normalized.
    #[config(default = true)]
    pub layer_norm: bool,
    /// Dropout probability of the candidate for the cell state.
    #[config(default = 0.0)]
    pub dropout: f64,
}

// ANCHOR: cell
/// LSTM cell with layer normalization (Ba, Kiros and Hinton 2016) and dropout of the candidate for the cell
/// state, so that the memory itself is never dropped (Semeniuta, Severyn and Barth 2016):
///
/// ```text
/// (i, f, g, o) = LN(W_x x + b_x) + LN(W_h h + b_h)
/// c' = sigmoid(f) c + sigmoid(i) dropout(tanh(g))
/// h' = sigmoid(o) tanh(LN(c'))
/// ```
///
/// Without layer normalization and dropout this is `burn::nn::Lstm`.
#[derive(Module, Debug)]
pub struct LstmCell<B: Backend> {
    /// Projection of the input to the gates: `[d_input, 4 d_hidden]`.
    pub input: Linear<B>,
    /// Projection of the hidden state to the gates: `[d_hidden, 4 d_hidden]`.
    pub hidden: Linear<B>,
    norms: Option<Norms<B>>,
    dropout: Dropout,
}
// ANCHOR_END: cell

/// Layer normalizations of a cell.
#[derive(Module, Debug)]
struct Norms<B: Backend> {
    input: LayerNorm<B>,
    hidden: LayerNorm<B>,
    cell: LayerNorm<B>,
}

/// Hidden state and cell state, `[batch, d_hidden]` each.
#[derive(Clone, Debug)]
pub struct CellState<B: Backend> {
    pub hidden: Tensor<B, 2>,
    pub cell: Tensor<B, 2>,
}

impl<B: Backend> CellState<B> {
    /// Returns the state before the first step.
    pub fn zeros(batch: usize, d_hidden: usize, device: &B::Device) -> Self {
        let zeros = Tensor::zeros([batch, d_hidden], device);
        CellState { hidden: zeros.clone(), cell: zeros }
    }
}

impl LstmCellConfig {
    /// Returns the cell, on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> LstmCell<B> {
        let LstmCellConfig { d_input, d_hidden, layer_norm, dropout } = *self;
        let norm = |size| LayerNormConfig::new(size).init(device);
        LstmCell {
            input: LinearConfig::new(d_input, 4 * d_hidden).init(device),
            hidden: LinearConfig::new(d_hidden, 4 * d_hidden).init(device),
            norms: layer_norm.then(|| Norms {
                input: norm(4 * d_hidden),
                hidden: norm(4 * d_hidden),
                cell: norm(d_hidden),
            }),
            dropout: DropoutConfig::new(dropout).init(),
        }
    }
}

// ANCHOR: step
impl<B: Backend> LstmCell<B> {
    /// Returns the part of the gates that the inputs of all steps decide: `[batch, time, d_input]` to
    /// `[batch, time, 4 d_hidden]`, in one product.
    pub fn project(&self, inputs: Tensor<B, 3>) -> Tensor<B, 3> {
        let gates = self.input.forward(inputs);
        match &self.norms {
            Some(norms) => norms.input.forward(gates),
            None => gates,
        }
    }

    /// Goes one step: `projected` is [`project`](Self::project) of its input, `[batch, 4 d_hidden]`.
    pub fn step(&self, projected: Tensor<B, 2>, state: CellState<B>) -> CellState<B> {
        let recurrent = self.hidden.forward(state.hidden);
        let recurrent = match &self.norms {
            Some(norms) => norms.hidden.forward(recurrent),
            None => recurrent,
        };
        let [input, forget, candidate, output] =
            (projected + recurrent).chunk(4, 1).try_into().expect("the gates are four");
        let candidate = self.dropout.forward(candidate.tanh());
        let cell = sigmoid(forget) * state.cell + sigmoid(input) * candidate;
        let normalized = match &self.norms {
            Some(norms) => norms.cell.forward(cell.clone()),
            None => cell.clone(),
        };
        CellState { hidden: sigmoid(output) * normalized.tanh(), cell }
    }
}
// ANCHOR_END: step
