//! What tensors take of a device, and what is left of it.

mod device;

use burn_autodiff::Autodiff;
use burn_conformance::room::{self, Held};
use burn_fusion::Fusion;
use burn_tensor::{Backend, Distribution, Tensor};
use burn_wgpu::{Wgpu, WgpuDevice};

type Leaf = Wgpu<f32, i32>;

/// One after the other: both look at what the whole process holds.
#[test]
fn memory_is_counted_given_back_and_flat() {
    if device::is_missing() {
        return;
    }
    let device = WgpuDevice::default();
    room::counted_and_given_back::<Leaf>(1 << 22, &device, &held, &|| device.memory_cleanup().unwrap());
    assert!(WgpuDevice::DiscreteGpu(99).memory_usage().is_err());
    flat();
}

fn held() -> Held {
    let usage = WgpuDevice::default().memory_usage().unwrap();
    Held { buffers: usage.buffers, used: usage.used, reserved: usage.reserved }
}

/// Steps of descent take no more memory after the first ones.
fn flat() {
    type B = Autodiff<Fusion<Leaf>>;
    let device = WgpuDevice::default();
    let random = |shape: [usize; 2]| Tensor::<B, 2>::random(shape, Distribution::Normal(0.0, 0.1), &device);
    let (x, y) = (random([32, 64]), random([32, 8]));
    let mut layers = [random([64, 48]).require_grad(), random([48, 8]).require_grad()];
    let mut step = || {
        let [first, second] = layers.clone();
        let error = x.clone().matmul(first.clone()).tanh().matmul(second.clone()) - y.clone();
        let gradients = (error.clone() * error).mean().backward();
        for layer in &mut layers {
            let gradient = Tensor::from_inner(layer.grad(&gradients).unwrap());
            *layer = (layer.clone().detach() - gradient * 0.1).require_grad();
        }
    };
    room::flat(50, 450, &held, &mut |steps| {
        (0..steps).for_each(|_| step());
        B::sync(&device);
    });
}
