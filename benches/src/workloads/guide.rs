//! The network of the guide, on batches of 64 images of 28 x 28.

use super::input::normal;
use super::training::steps;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_core::module::Module;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_nn::conv::{Conv2d, Conv2dConfig};
use burn_nn::loss::CrossEntropyLossConfig;
use burn_nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig};
use burn_nn::{Dropout, DropoutConfig, Linear, LinearConfig, Relu};
use burn_tensor::{AutodiffBackend, Backend, Distribution, Int, Tensor};
use std::hint::black_box;

const BATCH: usize = 64;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
    pool: AdaptiveAvgPool2d,
    dropout: Dropout,
    linear1: Linear<B>,
    linear2: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Model<B> {
    fn new(device: &B::Device) -> Self {
        Model {
            conv1: Conv2dConfig::new([1, 8], [3, 3]).init(device),
            conv2: Conv2dConfig::new([8, 16], [3, 3]).init(device),
            pool: AdaptiveAvgPool2dConfig::new([8, 8]).init(),
            dropout: DropoutConfig::new(0.5).init(),
            linear1: LinearConfig::new(1024, 512).init(device),
            linear2: LinearConfig::new(512, 10).init(device),
            activation: Relu::new(),
        }
    }

    fn forward(&self, images: Tensor<B, 3>) -> Tensor<B, 2> {
        let [batch, height, width] = images.dims();
        let x = self.conv1.forward(images.reshape([batch, 1, height, width]));
        let x = self.conv2.forward(self.dropout.forward(x));
        let x = self.activation.forward(self.dropout.forward(x));
        let x = self.pool.forward(x).reshape([batch, 1024]);
        let x = self.dropout.forward(self.linear1.forward(x));
        self.linear2.forward(self.activation.forward(x))
    }
}

fn images<B: Backend>() -> Tensor<B, 3> {
    normal([BATCH, 28, 28])
}

/// A step on a fresh batch.
pub(super) fn step<B: AutodiffBackend>() -> impl FnMut() {
    let device = B::Device::default();
    let loss = CrossEntropyLossConfig::new().init(&device);
    steps::<B, _>(Model::new(&device), move |model| {
        let targets = Tensor::<B, 1, Int>::random([BATCH], Distribution::Uniform(0.0, 10.0), &device);
        loss.forward(model.forward(images()), targets)
    })
}

/// The forward pass alone, without gradients.
fn inference() -> impl FnMut() {
    let (model, images) = (Model::<NdArray>::new(&Default::default()), images());
    move || drop(black_box(model.forward(images.clone())))
}

/// The step whose memory is measured.
pub(super) fn alone() -> Box<dyn FnMut()> {
    Box::new(step::<Autodiff<NdArray>>())
}

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("guide step")
            .with("NdArray", step::<Autodiff<NdArray>>)
            .at_most(1.0)
            .with("Fusion<NdArray>", step::<Autodiff<Fusion<NdArray>>>)
            .compiled(),
        Workload::new("guide inference").with("NdArray", inference).at_most(1.0),
        Workload::memory("guide memory", "guide step").at_most(64.0 * 1024.0 * 1024.0),
    ]
}
