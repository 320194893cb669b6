//! The network that makes images of noise.

use burn::nn::{Linear, LinearConfig, Relu};
use burn::prelude::*;

/// Three linear layers, from noise to pixels from -1 to 1.
#[derive(Module, Debug)]
pub struct Generator<B: Backend> {
    input: Linear<B>,
    hidden: Linear<B>,
    output: Linear<B>,
    activation: Relu,
}

/// Sizes of a [`Generator`].
#[derive(Config, Debug)]
pub struct GeneratorConfig {
    /// Number of pixels.
    pub pixels: usize,
    /// Number of features of the noise.
    #[config(default = 32)]
    pub d_noise: usize,
    /// Size of the hidden layers.
    #[config(default = 128)]
    pub d_hidden: usize,
}

impl GeneratorConfig {
    /// Returns the network, on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> Generator<B> {
        Generator {
            input: LinearConfig::new(self.d_noise, self.d_hidden).init(device),
            hidden: LinearConfig::new(self.d_hidden, self.d_hidden).init(device),
            output: LinearConfig::new(self.d_hidden, self.pixels).init(device),
            activation: Relu::new(),
        }
    }
}

impl<B: Backend> Generator<B> {
    /// Makes images: `[batch, d_noise]` to `[batch, pixels]`.
    pub fn forward(&self, noise: Tensor<B, 2>) -> Tensor<B, 2> {
        let hidden = self.activation.forward(self.input.forward(noise));
        let hidden = self.activation.forward(self.hidden.forward(hidden));
        self.output.forward(hidden).tanh()
    }
}
