//! A training step of 64 x 784-512-512-10, and its forward pass alone.

use super::input::normal;
use super::training::steps;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_core::module::Module;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_nn::loss::CrossEntropyLossConfig;
use burn_nn::{Linear, LinearConfig, Relu};
use burn_tensor::{AutodiffBackend, Backend, Distribution, Int, Tensor};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("mlp step")
            .with("NdArray", step::<Autodiff<NdArray>>)
            .at_most(0.6)
            .with("Fusion<NdArray>", step::<Autodiff<Fusion<NdArray>>>)
            .compiled(),
        Workload::new("mlp inference")
            .with("NdArray", inference::<NdArray>)
            .with("Fusion<NdArray>", inference::<Fusion<NdArray>>)
            .compiled(),
    ]
}

#[derive(Module, Debug)]
struct Mlp<B: Backend> {
    hidden: [Linear<B>; 2],
    out: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Mlp<B> {
    fn new(device: &B::Device) -> Self {
        Mlp {
            hidden: [784, 512].map(|size| LinearConfig::new(size, 512).init(device)),
            out: LinearConfig::new(512, 10).init(device),
            activation: Relu::new(),
        }
    }

    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let x = self.hidden.iter().fold(x, |x, layer| self.activation.forward(layer.forward(x)));
        self.out.forward(x)
    }
}

fn inference<B: Backend>() -> impl FnMut() {
    let device = B::Device::default();
    let (model, images) = (Mlp::<B>::new(&device), normal([64, 784]));
    move || {
        let y = model.forward(images.clone());
        // A queue computes only the tensors that are still held.
        B::sync(&device);
        drop(black_box(y));
    }
}

fn step<B: AutodiffBackend>() -> impl FnMut() {
    let device = B::Device::default();
    let images = normal([64, 784]);
    let targets = Tensor::<B, 1, Int>::random([64], Distribution::Uniform(0.0, 10.0), &device);
    let loss = CrossEntropyLossConfig::new().init(&device);
    steps::<B, _>(Mlp::new(&device), move |model| {
        loss.forward(model.forward(images.clone()), targets.clone())
    })
}
