//! The network and its configuration.

use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig};
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig, Relu};
use burn::prelude::*;

// ANCHOR: model
/// Two convolutions and two linear layers.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
    pool: AdaptiveAvgPool2d,
    dropout: Dropout,
    linear1: Linear<B>,
    linear2: Linear<B>,
    activation: Relu,
}
// ANCHOR_END: model

// ANCHOR: config
/// Hyperparameters of a [`Model`].
#[derive(Config, Debug)]
pub struct ModelConfig {
    /// Number of classes.
    pub num_classes: usize,
    /// Number of hidden units between the two linear layers.
    pub hidden_size: usize,
    /// Dropout probability during training.
    #[config(default = "0.5")]
    pub dropout: f64,
}

impl ModelConfig {
    /// Creates a model with random weights on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> Model<B> {
        Model {
            conv1: Conv2dConfig::new([1, 8], [3, 3]).init(device),
            conv2: Conv2dConfig::new([8, 16], [3, 3]).init(device),
            pool: AdaptiveAvgPool2dConfig::new([8, 8]).init(),
            dropout: DropoutConfig::new(self.dropout).init(),
            linear1: LinearConfig::new(16 * 8 * 8, self.hidden_size).init(device),
            linear2: LinearConfig::new(self.hidden_size, self.num_classes).init(device),
            activation: Relu::new(),
        }
    }
}
// ANCHOR_END: config

// ANCHOR: forward
impl<B: Backend> Model<B> {
    /// Scores for each class, before the softmax.
    ///
    /// ```text
    /// images: [batch, height, width] -> scores: [batch, num_classes]
    /// ```
    pub fn forward(&self, images: Tensor<B, 3>) -> Tensor<B, 2> {
        let [batch, height, width] = images.dims();
        let x = images.reshape([batch, 1, height, width]);

        let x = self.conv1.forward(x); // [batch, 8, height - 2, width - 2]
        let x = self.dropout.forward(x);
        let x = self.conv2.forward(x); // [batch, 16, height - 4, width - 4]
        let x = self.dropout.forward(x);
        let x = self.activation.forward(x);

        let x = self.pool.forward(x); // [batch, 16, 8, 8]
        let x = x.reshape([batch, 16 * 8 * 8]);
        let x = self.linear1.forward(x);
        let x = self.dropout.forward(x);
        let x = self.activation.forward(x);

        self.linear2.forward(x) // [batch, num_classes]
    }
}
// ANCHOR_END: forward
