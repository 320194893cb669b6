//! As deep in types as programs get: gradients over a queue over a device, with a derived module and an
//! optimizer.

use burn::backend::{wgpu::WgpuDevice, Autodiff, Wgpu};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig, Relu};
use burn::optim::{AdamConfig, GradientsParams};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    conv: Conv2d<B>,
    linear: Vec<Linear<B>>,
    dropout: Dropout,
    activation: Relu,
}

impl<B: Backend> Model<B> {
    fn new(device: &B::Device) -> Self {
        Model {
            conv: Conv2dConfig::new([1, 2], [3, 3]).init(device),
            linear: vec![LinearConfig::new(8, 4).init(device), LinearConfig::new(4, 2).init(device)],
            dropout: DropoutConfig::new(0.1).init(),
            activation: Relu::new(),
        }
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let mut x = self.activation.forward(self.conv.forward(images)).flatten::<2>(1, 3);
        for linear in &self.linear {
            x = linear.forward(self.dropout.forward(x));
        }
        x
    }
}

fn train<B: AutodiffBackend>(device: &B::Device) -> Model<B> {
    let mut model = Model::<B>::new(device);
    let mut optimizer = AdamConfig::new().init();
    let images = Tensor::<B, 4>::ones([2, 1, 4, 4], device);
    let targets = Tensor::<B, 1, Int>::from_data([0, 1], device);
    for _ in 0..2 {
        let loss = CrossEntropyLossConfig::new()
            .init(device)
            .forward(model.forward(images.clone()), targets.clone());
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(1e-3, model, gradients);
    }
    model
}

fn main() {
    let device = WgpuDevice::default();
    if let Err(error) = device.open() {
        return println!("no device: {error}");
    }
    let model = train::<Autodiff<Wgpu>>(&device).valid();
    println!("{:?}", model.forward(Tensor::<Wgpu, 4>::ones([3, 1, 4, 4], &device)).dims());
}
