//! Which calls become which kernels, counted, and gradients through all of it.

mod device;

use burn_autodiff::Autodiff;
use burn_backend::{Backend, TensorData};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::Tensor;
use burn_wgpu::{Wgpu, WgpuDevice};
use std::sync::Mutex;

/// Tests that launch kernels, one at a time: one of them counts.
static ALONE: Mutex<()> = Mutex::new(());

fn values<B: Backend, const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    let at = |i: usize| (i as f32 * 0.618_034 + 0.137).fract() * 2.0 - 1.0;
    let values: Vec<f32> = (0..shape.iter().product()).map(at).collect();
    Tensor::from_data(TensorData::new(&values, shape), &Default::default())
}

#[test]
fn a_chain_of_calls_is_one_kernel() {
    if device::is_missing() {
        return;
    }
    let _alone = ALONE.lock();
    let engine = Wgpu::<f32, i32>::full(
        burn_backend::TensorSpec::new([1], burn_backend::DType::F32),
        0.0_f32.into(),
        &WgpuDevice::default(),
    )
    .engine();
    let x = values::<Fusion<Wgpu>, 2>([64, 32]);
    let bias = values::<Fusion<Wgpu>, 2>([1, 32]);
    let before = engine.launches();
    let y = ((x.clone() + bias) * 0.5).tanh().exp() - x.sin();
    let data = y.into_data();
    assert_eq!(engine.launches() - before, 1);
    let (x, bias) = (values::<NdArray, 2>([64, 32]), values::<NdArray, 2>([1, 32]));
    (((x.clone() + bias) * 0.5).tanh().exp() - x.sin()).into_data().assert_approx_eq(&data, 1e-5);
}

/// Gradients of a small network by its weights and its input.
fn gradients<B: Backend>() -> Vec<TensorData> {
    let x = values::<Autodiff<B>, 2>([8, 12]).require_grad();
    let first = values::<Autodiff<B>, 2>([12, 40]).require_grad();
    let second = values::<Autodiff<B>, 2>([40, 5]).require_grad();
    let hidden = burn_tensor::activation::gelu(x.clone().matmul(first.clone()));
    let scores = burn_tensor::activation::log_softmax(hidden.matmul(second.clone()), 1);
    let grads = scores.slice([0..8, 1..3]).mean().backward();
    [x, first, second].map(|x| x.grad(&grads).expect("is tracked").into_data()).into()
}

#[test]
fn gradients_are_those_of_the_cpu() {
    if device::is_missing() {
        return;
    }
    let _alone = ALONE.lock();
    let expected = gradients::<NdArray>();
    for found in [gradients::<Wgpu>(), gradients::<Fusion<Wgpu>>()] {
        found.iter().zip(&expected).for_each(|(found, expected)| found.assert_approx_eq(expected, 1e-5));
    }
}
