//! ResNet-50 (He et al. 2015): inference of one image of 224 x 224, and a training step of four.

use super::input::normal;
use super::resnet::{Normed, classes};
use super::training::steps;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_core::module::Module;
use burn_ndarray::NdArray;
use burn_nn::loss::CrossEntropyLossConfig;
use burn_nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig, MaxPool2d, MaxPool2dConfig};
use burn_nn::{Linear, LinearConfig, PaddingConfig2d, Relu};
use burn_tensor::{AutodiffBackend, Backend, Tensor};
use std::hint::black_box;

const BATCH: usize = 4;

pub(super) fn all() -> Vec<Workload> {
    let inference = || {
        let (model, x) = (ResNet::<NdArray>::new(&Default::default()), normal([1, 3, 224, 224]));
        move || drop(black_box(model.forward(x.clone())))
    };
    vec![
        Workload::new("resnet-50").with("NdArray", inference).at_most(1.0).compiled(),
        Workload::new("resnet-50 step").with("NdArray", step::<Autodiff<NdArray>>).at_most(1.0),
    ]
}

fn step<B: AutodiffBackend>() -> impl FnMut() {
    let device = B::Device::default();
    let (images, targets) = (normal([BATCH, 3, 224, 224]), classes(BATCH));
    let loss = CrossEntropyLossConfig::new().init(&device);
    steps::<B, _>(ResNet::new(&device), move |model| {
        loss.forward(model.forward(images.clone()), targets.clone())
    })
}

/// A 3 x 3 convolution between two of 1 x 1, the last of which has four times the channels.
#[derive(Module, Debug)]
struct Bottleneck<B: Backend> {
    reduce: Normed<B>,
    spatial: Normed<B>,
    expand: Normed<B>,
    /// Where the shape changes, so does what goes around.
    around: Option<Normed<B>>,
    activation: Relu,
}

impl<B: Backend> Bottleneck<B> {
    fn new(inputs: usize, width: usize, stride: usize, device: &B::Device) -> Self {
        let outputs = 4 * width;
        let changes = stride != 1 || inputs != outputs;
        Bottleneck {
            reduce: Normed::new([inputs, width], 1, 1, device),
            spatial: Normed::new([width, width], 3, stride, device),
            expand: Normed::new([width, outputs], 1, 1, device),
            around: changes.then(|| Normed::new([inputs, outputs], 1, stride, device)),
            activation: Relu::new(),
        }
    }

    fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        let y = self.activation.forward(self.reduce.forward(x.clone()));
        let y = self.activation.forward(self.spatial.forward(y));
        let around = match &self.around {
            Some(around) => around.forward(x),
            None => x,
        };
        self.activation.forward(self.expand.forward(y) + around)
    }
}

#[derive(Module, Debug)]
struct ResNet<B: Backend> {
    stem: Normed<B>,
    activation: Relu,
    max_pool: MaxPool2d,
    blocks: Vec<Bottleneck<B>>,
    average_pool: AdaptiveAvgPool2d,
    out: Linear<B>,
}

impl<B: Backend> ResNet<B> {
    fn new(device: &B::Device) -> Self {
        let mut inputs = 64;
        let mut blocks = Vec::new();
        for (width, count, stride) in [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)] {
            for block in 0..count {
                let stride = if block == 0 { stride } else { 1 };
                blocks.push(Bottleneck::new(inputs, width, stride, device));
                inputs = 4 * width;
            }
        }
        let pool = MaxPool2dConfig::new([3, 3]).with_stride([2, 2]);
        ResNet {
            stem: Normed::new([3, 64], 7, 2, device),
            activation: Relu::new(),
            max_pool: pool.with_padding(PaddingConfig2d::Explicit(1, 1)).init(),
            blocks,
            average_pool: AdaptiveAvgPool2dConfig::new([1, 1]).init(),
            out: LinearConfig::new(2048, 1000).init(device),
        }
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.max_pool.forward(self.activation.forward(self.stem.forward(images)));
        let x = self.blocks.iter().fold(x, |x, block| block.forward(x));
        let [batch, channels, ..] = x.dims();
        self.out.forward(self.average_pool.forward(x).reshape([batch, channels]))
    }
}
