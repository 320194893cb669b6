//! Device memory: bytes used by tensors, and bytes left after they are dropped.

mod device;

use burn_autodiff::Autodiff;
use burn_conformance::room::{self, Held};
use burn_core::module::Module;
use burn_cuda::{Cuda, CudaDevice};
use burn_fusion::Fusion;
use burn_nn::conv::{Conv2d, Conv2dConfig};
use burn_nn::loss::CrossEntropyLossConfig;
use burn_nn::{Linear, LinearConfig, Relu};
use burn_optim::{AdamConfig, GradientsParams, Optimizer};
use burn_tensor::{Backend, Distribution, Int, Tensor};

/// One after the other: all look at what the whole process holds.
#[test]
fn memory_is_counted_given_back_and_flat() {
    device::require();
    let device = CudaDevice::default();
    let clean = || device.memory_cleanup().unwrap();
    room::counted_and_given_back::<Cuda>(1 << 26, &device, &held, &clean);
    assert!(CudaDevice::new(99).memory_usage().is_err());
    flat();
}

fn held() -> Held {
    let usage = CudaDevice::default().memory_usage().unwrap();
    Held { buffers: usage.buffers, used: usage.used, reserved: usage.reserved }
}

#[derive(Module, Debug)]
struct Network<B: Backend> {
    conv: Conv2d<B>,
    linear: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Network<B> {
    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.activation.forward(self.conv.forward(images));
        self.linear.forward(x.flatten(1, 3))
    }
}

/// 10,000 steps of training take no more memory after the first ones.
fn flat() {
    type B = Autodiff<Fusion<Cuda>>;
    let device = CudaDevice::default();
    let images = Tensor::<B, 4>::random([16, 1, 12, 12], Distribution::Normal(0.0, 1.0), &device);
    let targets = Tensor::<B, 1, Int>::random([16], Distribution::Uniform(0.0, 10.0), &device);
    let loss = CrossEntropyLossConfig::new().init(&device);
    let (conv, linear) = (Conv2dConfig::new([1, 4], [3, 3]), LinearConfig::new(400, 10));
    let model =
        Network::<B> { conv: conv.init(&device), linear: linear.init(&device), activation: Relu::new() };
    let (mut optimizer, mut model) = (AdamConfig::new().init(), Some(model));
    room::flat(100, 9_900, &held, &mut |steps| {
        for _ in 0..steps {
            let before = model.take().expect("put back after each step");
            let loss = loss.forward(before.forward(images.clone()), targets.clone());
            let gradients = GradientsParams::from_grads(loss.backward(), &before);
            model = Some(optimizer.step(1e-4, before, gradients));
        }
        B::sync(&device);
    });
}
