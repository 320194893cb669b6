//! One training step of the network of the guide, with fresh data each time.

use crate::torch::Torch;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_core::module::Module;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_nn::conv::{Conv2d, Conv2dConfig};
use burn_nn::loss::{CrossEntropyLoss, CrossEntropyLossConfig};
use burn_nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig};
use burn_nn::{Dropout, DropoutConfig, Linear, LinearConfig, Relu};
use burn_optim::{AdamConfig, GradientsParams, Optimizer};
use burn_tensor::{AutodiffBackend, Backend, Distribution, Int, Tensor};

const BATCH: usize = 64;

/// A tiny rate: a model that has learnt its data makes denormal numbers, which are slow everywhere.
const RATE: f64 = 1e-6;

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

fn images<B: Backend>(device: &B::Device) -> Tensor<B, 3> {
    Tensor::random([BATCH, 28, 28], Distribution::Normal(0.0, 1.0), device)
}

/// Makes the step: forward, loss, backward, Adam.
fn training<B: AutodiffBackend>() -> impl FnMut() {
    let device = B::Device::default();
    let loss: CrossEntropyLoss<B> = CrossEntropyLossConfig::new().init(&device);
    let (mut model, mut optimizer) = (Some(Model::<B>::new(&device)), AdamConfig::new().init());
    move || {
        let before = model.take().expect("put back after each step");
        let targets = Tensor::<B, 1, Int>::random([BATCH], Distribution::Uniform(0.0, 10.0), &device);
        let loss = loss.forward(before.forward(images(&device)), targets);
        let gradients = GradientsParams::from_grads(loss.backward(), &before);
        model = Some(optimizer.step(RATE, before, gradients));
        B::sync(&device);
    }
}

/// Batches of 64 images of 28 x 28.
pub(crate) fn step(torch: Option<&Torch>) -> Workload<'_> {
    Workload::new("guide step")
        .with("NdArray", training::<Autodiff<NdArray>>)
        .with("Fusion<NdArray>", training::<Autodiff<Fusion<NdArray>>>)
        .with_torch(torch)
}

/// The forward pass alone, without gradients.
pub(crate) fn inference(torch: Option<&Torch>) -> Workload<'_> {
    let forward = || {
        let device = Default::default();
        let (model, images) = (Model::<NdArray>::new(&device), images(&device));
        move || drop(std::hint::black_box(model.forward(images.clone())))
    };
    Workload::new("guide inference").with("NdArray", forward).with_torch(torch)
}
