use burn_core::module::{Ignored, Module};
use burn_core::tensor::{Backend, Tensor};
use burn_nn::Linear;
use burn_nn::transformer::FeedForwardActivation;

/// Feed-forward network: `down(activation(gate(x)) up(x))`, or without a gate `down(activation(up(x)))`.
#[derive(Module, Debug)]
pub struct FeedForward<B: Backend> {
    /// Projection that gates the hidden layer, `[d_model, d_ff]`.
    pub gate: Option<Linear<B>>,
    /// Projection to the hidden layer, `[d_model, d_ff]`.
    pub up: Linear<B>,
    /// Projection of the output, `[d_ff, d_model]`.
    pub down: Linear<B>,
    /// Activation function.
    pub activation: Ignored<FeedForwardActivation>,
}

impl<B: Backend> FeedForward<B> {
    /// Applies the network: `[rows, d_model]` to `[rows, d_model]`.
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let hidden = match &self.gate {
            Some(gate) => self.activation.forward(gate.forward(x.clone())) * self.up.forward(x),
            None => self.activation.forward(self.up.forward(x)),
        };
        self.down.forward(hidden)
    }
}
