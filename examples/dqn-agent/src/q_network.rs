//! A network that values actions.

use burn::nn::{Linear, LinearConfig, Relu};
use burn::prelude::*;

/// Two hidden layers, from a state to the value of each action.
#[derive(Module, Debug)]
pub struct QNetwork<B: Backend> {
    input: Linear<B>,
    hidden: Linear<B>,
    output: Linear<B>,
    activation: Relu,
}

/// Sizes of a [`QNetwork`].
#[derive(Config, Debug)]
pub struct QNetworkConfig {
    /// Number of features of a state.
    #[config(default = 4)]
    pub d_state: usize,
    /// Size of the hidden layers.
    #[config(default = 64)]
    pub d_hidden: usize,
    /// Number of actions.
    #[config(default = 2)]
    pub actions: usize,
}

impl QNetworkConfig {
    /// Returns the network, on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> QNetwork<B> {
        QNetwork {
            input: LinearConfig::new(self.d_state, self.d_hidden).init(device),
            hidden: LinearConfig::new(self.d_hidden, self.d_hidden).init(device),
            output: LinearConfig::new(self.d_hidden, self.actions).init(device),
            activation: Relu::new(),
        }
    }
}

impl<B: Backend> QNetwork<B> {
    /// Returns the value of each action, the sum of discounted rewards that it leads to: `[batch, 4]` to
    /// `[batch, actions]`.
    pub fn forward(&self, states: Tensor<B, 2>) -> Tensor<B, 2> {
        let hidden = self.activation.forward(self.input.forward(states));
        let hidden = self.activation.forward(self.hidden.forward(hidden));
        self.output.forward(hidden)
    }

    /// Returns the action with the highest value in one state.
    pub fn best_action(&self, state: [f32; 4], device: &B::Device) -> usize {
        let state = Tensor::from_data(TensorData::new(state, [1, 4]), device);
        let action: i64 = self.forward(state).argmax(1).into_scalar().elem();
        action as usize
    }
}
