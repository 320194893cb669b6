//! A network of one hidden layer.

use burn::nn::loss::{MseLoss, Reduction};
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig, Relu};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use burn::train::{RegressionOutput, TrainOutput, TrainStep, ValidStep};

use crate::table::RowBatch;

/// Two linear layers with a ReLU between them.
#[derive(Module, Debug)]
pub struct RegressionModel<B: Backend> {
    input: Linear<B>,
    output: Linear<B>,
    dropout: Dropout,
    activation: Relu,
}

/// The sizes of a [`RegressionModel`].
#[derive(Config, Debug)]
pub struct RegressionModelConfig {
    /// Number of measurements.
    pub features: usize,
    /// Size of the hidden layer.
    #[config(default = 64)]
    pub hidden: usize,
    /// Probability that a hidden number is dropped in training.
    #[config(default = 0.1)]
    pub dropout: f64,
}

impl RegressionModelConfig {
    pub fn init<B: Backend>(&self, device: &B::Device) -> RegressionModel<B> {
        RegressionModel {
            input: LinearConfig::new(self.features, self.hidden).init(device),
            output: LinearConfig::new(self.hidden, 1).init(device),
            dropout: DropoutConfig::new(self.dropout).init(),
            activation: Relu::new(),
        }
    }
}

impl<B: Backend> RegressionModel<B> {
    /// Maps features `[batch, features]` to `[batch, 1]`.
    pub fn forward(&self, features: Tensor<B, 2>) -> Tensor<B, 2> {
        let hidden = self.activation.forward(self.input.forward(features));
        self.output.forward(self.dropout.forward(hidden))
    }

    /// Predictions and their mean squared error.
    pub fn forward_regression(&self, batch: RowBatch<B>) -> RegressionOutput<B> {
        let output = self.forward(batch.features);
        let loss = MseLoss::new().forward(output.clone(), batch.targets.clone(), Reduction::Mean);
        RegressionOutput::new(loss, output, batch.targets)
    }
}

impl<B: AutodiffBackend> TrainStep<RowBatch<B>, RegressionOutput<B>> for RegressionModel<B> {
    fn step(&self, batch: RowBatch<B>) -> TrainOutput<RegressionOutput<B>> {
        let item = self.forward_regression(batch);
        TrainOutput::new(self, item.loss.backward(), item)
    }
}

impl<B: Backend> ValidStep<RowBatch<B>, RegressionOutput<B>> for RegressionModel<B> {
    fn step(&self, batch: RowBatch<B>) -> RegressionOutput<B> {
        self.forward_regression(batch)
    }
}
