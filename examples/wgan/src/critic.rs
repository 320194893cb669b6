//! The network that scores images.

use burn::backend::Autodiff;
use burn::module::Param;
use burn::nn::{LeakyRelu, LeakyReluConfig, Linear, LinearConfig};
use burn::prelude::*;

/// Three linear layers, from pixels to a score: high for what looks real.
#[derive(Module, Debug)]
pub struct Critic<B: Backend> {
    input: Linear<B>,
    hidden: Linear<B>,
    output: Linear<B>,
    activation: LeakyRelu,
}

/// Sizes of a [`Critic`].
#[derive(Config, Debug)]
pub struct CriticConfig {
    /// Number of pixels.
    pub pixels: usize,
    /// Size of the hidden layers.
    #[config(default = 128)]
    pub d_hidden: usize,
}

impl CriticConfig {
    /// Returns the network, on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> Critic<B> {
        Critic {
            input: LinearConfig::new(self.pixels, self.d_hidden).init(device),
            hidden: LinearConfig::new(self.d_hidden, self.d_hidden).init(device),
            output: LinearConfig::new(self.d_hidden, 1).init(device),
            activation: LeakyReluConfig::new().with_negative_slope(0.2).init(),
        }
    }
}

impl<B: Backend> Critic<B> {
    /// Scores images: `[batch, pixels]` to `[batch, 1]`.
    pub fn forward(&self, images: Tensor<B, 2>) -> Tensor<B, 2> {
        let hidden = self.activation.forward(self.input.forward(images));
        let hidden = self.activation.forward(self.hidden.forward(hidden));
        self.output.forward(hidden)
    }

    // ANCHOR: lift
    /// Returns this critic on one more tape, which sees its parameters as constants. The tapes below go on
    /// through them.
    pub fn lift(&self) -> Critic<Autodiff<B>> {
        Critic {
            input: lift(&self.input),
            hidden: lift(&self.hidden),
            output: lift(&self.output),
            activation: self.activation,
        }
    }
    // ANCHOR_END: lift
}

fn lift<B: Backend>(layer: &Linear<B>) -> Linear<Autodiff<B>> {
    let bias = layer.bias.as_ref().map(|bias| Param::computed(Tensor::from_inner(bias.val())));
    Linear::new(Param::computed(Tensor::from_inner(layer.weight.val())), bias)
}
