//! ResNet-18 (He et al. 2015), inference of one image of 224 x 224.

use super::input::normal;
use crate::workload::Workload;
use burn_core::module::Module;
use burn_ndarray::NdArray;
use burn_nn::conv::{Conv2d, Conv2dConfig};
use burn_nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig, MaxPool2d, MaxPool2dConfig};
use burn_nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig, PaddingConfig2d, Relu};
use burn_tensor::{Backend, Distribution, Int, Tensor};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    let inference = || {
        let (model, x) = (ResNet::<NdArray>::new(&Default::default()), normal([1, 3, 224, 224]));
        move || drop(black_box(model.forward(x.clone())))
    };
    vec![Workload::new("resnet-18").with("NdArray", inference).at_most(1.0).compiled()]
}

/// Labels of images, drawn from 1000 classes.
pub(super) fn classes<B: Backend>(batch: usize) -> Tensor<B, 1, Int> {
    Tensor::random([batch], Distribution::Uniform(0.0, 1000.0), &Default::default())
}

/// A convolution and the norm of what it gives.
#[derive(Module, Debug)]
pub(super) struct Normed<B: Backend> {
    conv: Conv2d<B>,
    norm: BatchNorm<B>,
}

impl<B: Backend> Normed<B> {
    pub(super) fn new(channels: [usize; 2], kernel: usize, stride: usize, device: &B::Device) -> Self {
        let padding = PaddingConfig2d::Explicit(kernel / 2, kernel / 2);
        let conv = Conv2dConfig::new(channels, [kernel; 2]).with_stride([stride; 2]).with_padding(padding);
        Normed {
            conv: conv.with_bias(false).init(device),
            norm: BatchNormConfig::new(channels[1]).init(device),
        }
    }

    pub(super) fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        self.norm.forward(self.conv.forward(x))
    }
}

#[derive(Module, Debug)]
struct Block<B: Backend> {
    first: Normed<B>,
    second: Normed<B>,
    /// Where the shape changes, so does what goes around.
    around: Option<Normed<B>>,
    activation: Relu,
}

impl<B: Backend> Block<B> {
    fn new([inputs, outputs]: [usize; 2], stride: usize, device: &B::Device) -> Self {
        let changes = stride != 1 || inputs != outputs;
        Block {
            first: Normed::new([inputs, outputs], 3, stride, device),
            second: Normed::new([outputs, outputs], 3, 1, device),
            around: changes.then(|| Normed::new([inputs, outputs], 1, stride, device)),
            activation: Relu::new(),
        }
    }

    fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        let y = self.activation.forward(self.first.forward(x.clone()));
        let around = match &self.around {
            Some(around) => around.forward(x),
            None => x,
        };
        self.activation.forward(self.second.forward(y) + around)
    }
}

#[derive(Module, Debug)]
struct ResNet<B: Backend> {
    stem: Normed<B>,
    activation: Relu,
    max_pool: MaxPool2d,
    blocks: Vec<Block<B>>,
    average_pool: AdaptiveAvgPool2d,
    out: Linear<B>,
}

impl<B: Backend> ResNet<B> {
    fn new(device: &B::Device) -> Self {
        let stages = [([64, 64], 1), ([64, 128], 2), ([128, 256], 2), ([256, 512], 2)];
        let blocks = stages.into_iter().flat_map(|(channels, stride)| {
            let [_, outputs] = channels;
            [Block::new(channels, stride, device), Block::new([outputs, outputs], 1, device)]
        });
        let pool = MaxPool2dConfig::new([3, 3]).with_stride([2, 2]);
        ResNet {
            stem: Normed::new([3, 64], 7, 2, device),
            activation: Relu::new(),
            max_pool: pool.with_padding(PaddingConfig2d::Explicit(1, 1)).init(),
            blocks: blocks.collect(),
            average_pool: AdaptiveAvgPool2dConfig::new([1, 1]).init(),
            out: LinearConfig::new(512, 1000).init(device),
        }
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.max_pool.forward(self.activation.forward(self.stem.forward(images)));
        let x = self.blocks.iter().fold(x, |x, block| block.forward(x));
        let [batch, channels, ..] = x.dims();
        self.out.forward(self.average_pool.forward(x).reshape([batch, channels]))
    }
}
