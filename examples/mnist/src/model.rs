//! The network and its steps.

use crate::data::MnistBatch;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Dropout, DropoutConfig, Linear, LinearConfig};
use burn::prelude::*;
use burn::tensor::activation::relu;
use burn::tensor::backend::AutodiffBackend;
use burn::train::{ClassificationOutput, TrainOutput, TrainStep, ValidStep};

/// Two convolutions with batch norms and pooling, and two linear layers.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    conv1: Conv2d<B>,
    norm1: BatchNorm<B>,
    conv2: Conv2d<B>,
    norm2: BatchNorm<B>,
    pool: MaxPool2d,
    dropout: Dropout,
    linear1: Linear<B>,
    linear2: Linear<B>,
}

impl<B: Backend> Model<B> {
    /// Creates a model with random weights on `device`.
    pub fn new(device: &B::Device) -> Self {
        Model {
            conv1: Conv2dConfig::new([1, 8], [3, 3]).init(device),
            norm1: BatchNormConfig::new(8).init(device),
            conv2: Conv2dConfig::new([8, 16], [3, 3]).init(device),
            norm2: BatchNormConfig::new(16).init(device),
            pool: MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
            dropout: DropoutConfig::new(0.25).init(),
            linear1: LinearConfig::new(16 * 5 * 5, 64).init(device),
            linear2: LinearConfig::new(64, 10).init(device),
        }
    }

    /// Scores for each digit: `[batch, 1, 28, 28]` to `[batch, 10]`.
    pub fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.pool.forward(relu(self.norm1.forward(self.conv1.forward(images)))); // [batch, 8, 13, 13]
        let x = self.pool.forward(relu(self.norm2.forward(self.conv2.forward(x)))); // [batch, 16, 5, 5]
        let x = self.dropout.forward(x.flatten::<2>(1, 3));
        self.linear2.forward(relu(self.linear1.forward(x)))
    }

    fn classify(&self, batch: MnistBatch<B>) -> ClassificationOutput<B> {
        let output = self.forward(batch.images);
        let loss = CrossEntropyLossConfig::new().init(&output.device());
        ClassificationOutput::new(loss.forward(output.clone(), batch.targets.clone()), output, batch.targets)
    }
}

impl<B: AutodiffBackend> TrainStep<MnistBatch<B>, ClassificationOutput<B>> for Model<B> {
    fn step(&self, batch: MnistBatch<B>) -> TrainOutput<ClassificationOutput<B>> {
        let item = self.classify(batch);
        TrainOutput::from_loss(self, item.loss.clone(), item)
    }
}

impl<B: Backend> ValidStep<MnistBatch<B>, ClassificationOutput<B>> for Model<B> {
    fn step(&self, batch: MnistBatch<B>) -> ClassificationOutput<B> {
        self.classify(batch)
    }
}
