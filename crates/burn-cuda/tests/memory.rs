//! What tensors take of a device, and what is left of it.

mod device;

use burn_autodiff::Autodiff;
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
    if device::is_missing() {
        return;
    }
    counted_and_given_back();
    flat();
}

fn counted_and_given_back() {
    const BYTES: u64 = 4 << 26;
    let device = CudaDevice::default();
    let before = device.memory_usage().unwrap();
    let x = Tensor::<Cuda, 1>::zeros([1 << 26], &device);
    Cuda::<f32, i32>::sync(&device);
    let with = device.memory_usage().unwrap();
    assert_eq!((with.buffers, with.used), (before.buffers + 1, before.used + BYTES));
    assert!(with.reserved >= with.used, "{with:?}");
    drop(x);
    Cuda::<f32, i32>::sync(&device);
    let after = device.memory_usage().unwrap();
    assert_eq!((after.buffers, after.used), (before.buffers, before.used));
    device.memory_cleanup().unwrap();
    let cleaned = device.memory_usage().unwrap();
    assert!(cleaned.reserved + BYTES <= with.reserved, "{with:?}, then {cleaned:?}");
    assert!(CudaDevice::new(99).memory_usage().is_err());
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
    let mut after = |steps: usize| {
        for _ in 0..steps {
            let before = model.take().expect("put back after each step");
            let loss = loss.forward(before.forward(images.clone()), targets.clone());
            let gradients = GradientsParams::from_grads(loss.backward(), &before);
            model = Some(optimizer.step(1e-4, before, gradients));
        }
        B::sync(&device);
        device.memory_usage().unwrap()
    };
    let (first, last) = (after(100), after(9_900));
    println!("after 100 steps {first:?}, after 10,000 {last:?}");
    assert_eq!((last.buffers, last.used), (first.buffers, first.used));
    assert!(last.reserved <= first.reserved, "{first:?}, then {last:?}");
}
