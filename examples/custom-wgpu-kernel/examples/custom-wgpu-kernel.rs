//! A kernel of one's own beside the operations it replaces, forward and backward, on whatever GPU there is.

use burn::backend::wgpu::{JitBackend, WgpuDevice, WgpuRuntime};
use burn::backend::{Autodiff, Fusion};
use burn::tensor::{Distribution, ElementConversion, Tensor};
use custom_wgpu_kernel::{AutodiffBackend, Backend, matmul_add_relu_custom, matmul_add_relu_reference};

/// Prints and returns the largest difference of the results.
fn inference<B: Backend>(device: &B::Device) -> f32 {
    let random = |shape| Tensor::<B, 3>::random(shape, Distribution::Default, device);
    let (lhs, rhs, bias) = (random([1, 32, 32]), random([32, 32, 32]), random([32, 32, 32]));
    let reference = matmul_add_relu_reference(lhs.clone(), rhs.clone(), bias.clone());
    let custom = matmul_add_relu_custom(lhs, rhs, bias);
    let largest = difference(custom, reference);
    println!("  forward: largest difference {largest:.1e}");
    largest
}

/// Prints and returns the largest difference of each operand's gradients.
fn training<B: AutodiffBackend>(device: &B::Device) -> [f32; 3] {
    let random = |shape| Tensor::<B, 3>::random(shape, Distribution::Default, device).require_grad();
    let operands = [random([1, 32, 32]), random([32, 32, 32]), random([32, 32, 32])];
    let gradients = |operation: fn(Tensor<B, 3>, Tensor<B, 3>, Tensor<B, 3>) -> Tensor<B, 3>| {
        let [lhs, rhs, bias] = operands.clone();
        let gradients = operation(lhs, rhs, bias).sum().backward();
        operands.clone().map(|x| x.grad(&gradients).expect("the sum depends on it"))
    };
    let (custom, reference) = (gradients(matmul_add_relu_custom), gradients(matmul_add_relu_reference));
    let mut pairs = custom.into_iter().zip(reference);
    ["lhs", "rhs", "bias"].map(|name| {
        let (custom, reference) = pairs.next().expect("a gradient of each operand");
        let largest = difference(custom, reference);
        println!("  gradient of {name}: largest difference {largest:.1e}");
        largest
    })
}

fn difference<B: burn::tensor::backend::Backend>(x: Tensor<B, 3>, y: Tensor<B, 3>) -> f32 {
    (x - y).abs().max().into_scalar().elem::<f32>()
}

type Leaf = JitBackend<WgpuRuntime, f32, i32>;

fn main() {
    let device = WgpuDevice::default();
    if let Err(error) = device.open() {
        eprintln!("{error}");
        std::process::exit(1);
    }
    run(&device);
}

/// Runs forward and backward pass, directly and with fusion; returns the largest differences.
pub fn run(device: &WgpuDevice) -> Vec<f32> {
    println!("on the leaf:");
    let mut differences = vec![inference::<Leaf>(device)];
    differences.extend(training::<Autodiff<Leaf>>(device));
    println!("behind a queue:");
    differences.push(inference::<Fusion<Leaf>>(device));
    differences.extend(training::<Autodiff<Fusion<Leaf>>>(device));
    differences
}
