//! What tensors take of a device, and what is left of it.

mod device;

use burn_autodiff::Autodiff;
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
    counted_and_given_back();
    flat();
}

fn counted_and_given_back() {
    const BYTES: u64 = 4 << 22;
    let device = WgpuDevice::default();
    let before = device.memory_usage().unwrap();
    let x = Tensor::<Leaf, 1>::zeros([1 << 22], &device);
    Leaf::sync(&device);
    let with = device.memory_usage().unwrap();
    assert_eq!((with.buffers, with.used), (before.buffers + 1, before.used + BYTES));
    assert!(with.reserved >= with.used, "{with:?}");
    drop(x);
    Leaf::sync(&device);
    let after = device.memory_usage().unwrap();
    assert_eq!((after.buffers, after.used), (before.buffers, before.used));
    device.memory_cleanup().unwrap();
    let cleaned = device.memory_usage().unwrap();
    assert!(cleaned.reserved + BYTES <= with.reserved, "{with:?}, then {cleaned:?}");
    assert!(WgpuDevice::DiscreteGpu(99).memory_usage().is_err());
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
    let mut after = |steps: usize| {
        (0..steps).for_each(|_| step());
        B::sync(&device);
        device.memory_usage().unwrap()
    };
    let (first, last) = (after(50), after(450));
    assert_eq!((last.buffers, last.used), (first.buffers, first.used));
    assert!(last.reserved <= first.reserved, "{first:?}, then {last:?}");
}
