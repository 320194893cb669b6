//! A small convolutional network.

use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig, MaxPool2d, MaxPool2dConfig};
use burn::nn::{Linear, LinearConfig, PaddingConfig2d, Relu};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use burn::train::{ClassificationOutput, TrainOutput, TrainStep, ValidStep};

use crate::images::ImageBatch;

/// Two convolutions, and a linear layer over what is left of the image.
#[derive(Module, Debug)]
pub struct Cnn<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
    halve: MaxPool2d,
    shrink: AdaptiveAvgPool2d,
    output: Linear<B>,
    activation: Relu,
}

/// The sizes of a [`Cnn`].
#[derive(Config, Debug)]
pub struct CnnConfig {
    /// Channels of the images.
    pub channels: usize,
    /// Number of classes.
    pub classes: usize,
    /// Channels of the second convolution; the first one has half of them.
    #[config(default = 32)]
    pub hidden: usize,
}

impl CnnConfig {
    /// Side of the image that the linear layer sees.
    const SIDE: usize = 4;

    pub fn init<B: Backend>(&self, device: &B::Device) -> Cnn<B> {
        let conv =
            |from, to| Conv2dConfig::new([from, to], [3, 3]).with_padding(PaddingConfig2d::Same).init(device);
        Cnn {
            conv1: conv(self.channels, self.hidden / 2),
            conv2: conv(self.hidden / 2, self.hidden),
            halve: MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
            shrink: AdaptiveAvgPool2dConfig::new([Self::SIDE, Self::SIDE]).init(),
            output: LinearConfig::new(self.hidden * Self::SIDE * Self::SIDE, self.classes).init(device),
            activation: Relu::new(),
        }
    }
}

impl<B: Backend> Cnn<B> {
    /// Maps images `[batch, channels, height, width]` to scores `[batch, classes]`.
    pub fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.activation.forward(self.conv1.forward(images));
        let x = self.activation.forward(self.conv2.forward(self.halve.forward(x)));
        self.output.forward(self.shrink.forward(x).flatten(1, 3))
    }

    /// Scores and their cross-entropy.
    pub fn forward_classification(&self, batch: ImageBatch<B>) -> ClassificationOutput<B> {
        let output = self.forward(batch.images);
        let loss = CrossEntropyLossConfig::new().init(&output.device());
        let loss = loss.forward(output.clone(), batch.targets.clone());
        ClassificationOutput::new(loss, output, batch.targets)
    }
}

impl<B: AutodiffBackend> TrainStep<ImageBatch<B>, ClassificationOutput<B>> for Cnn<B> {
    fn step(&self, batch: ImageBatch<B>) -> TrainOutput<ClassificationOutput<B>> {
        let item = self.forward_classification(batch);
        TrainOutput::new(self, item.loss.backward(), item)
    }
}

impl<B: Backend> ValidStep<ImageBatch<B>, ClassificationOutput<B>> for Cnn<B> {
    fn step(&self, batch: ImageBatch<B>) -> ClassificationOutput<B> {
        self.forward_classification(batch)
    }
}
