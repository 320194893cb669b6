//! Products and attention of few rows, as when a language model decodes.

mod device;

use burn_backend::kernels;
use burn_conformance::few_rows;
use burn_fusion::Fusion;
use burn_tensor::activation::silu;
use burn_tensor::{Distribution, Tensor};
use burn_wgpu::{Wgpu, WgpuDevice};

#[test]
fn x_605_few_rows_times_blocks_on_a_gpu_equal_the_f64_product_of_dequantized_weights() {
    device::require();
    few_rows::check_blocks::<Wgpu>(&WgpuDevice::default());
}

#[test]
fn few_rows_times_columns_and_what_follows_equal_those_of_f64() {
    device::require();
    few_rows::check_products::<Wgpu>(&WgpuDevice::default());
    few_rows::check_products::<Fusion<Wgpu>>(&WgpuDevice::default());
}

#[test]
fn products_of_a_norm_equal_those_of_f64() {
    device::require();
    few_rows::check_products_of_norms::<Fusion<Wgpu>>(&WgpuDevice::default());
}

#[test]
fn attention_of_one_query_equals_that_of_f64() {
    device::require();
    few_rows::check_attention::<Wgpu>(&WgpuDevice::default());
    few_rows::check_quantized_attention::<Wgpu>(&WgpuDevice::default());
}

#[test]
fn a_gate_and_the_layer_that_it_gates_are_one_kernel() {
    device::require();
    let device = WgpuDevice::default();
    let random = |shape| Tensor::<Fusion<Wgpu>, 2>::random(shape, Distribution::Uniform(-1.0, 1.0), &device);
    let (x, [gate, up]) = (random([1, 64]), [(); 2].map(|()| random([48, 64])));
    // Weights are there before the products are asked for.
    let _ = (x.to_data(), gate.to_data(), up.to_data());
    let listening = kernels::listen();
    let product = |weight: Tensor<Fusion<Wgpu>, 2>| x.clone().matmul(weight.transpose());
    (silu(product(gate)) * product(up)).into_data();
    let heard = listening.heard();
    assert!(heard.len() == 1 && heard[0].starts_with("matmul_few_rows + "), "{heard:?}");
}

#[test]
fn a_norm_and_the_products_behind_it_are_one_kernel() {
    device::require();
    let device = WgpuDevice::default();
    let random = |shape| Tensor::<Fusion<Wgpu>, 2>::random(shape, Distribution::Uniform(-1.0, 1.0), &device);
    let (x, weights) = (random([1, 1024]), [48, 40].map(|columns| random([columns, 1024]).transpose()));
    drop([&x, &weights[0], &weights[1]].map(Tensor::to_data));
    for count in [1, 2] {
        let listening = kernels::listen();
        let norm = x.clone() * x.clone().square().mean_dim(1).sqrt().recip();
        let products: Vec<_> =
            weights[..count].iter().map(|weight| norm.clone().matmul(weight.clone())).collect();
        drop(norm);
        products.into_iter().for_each(|product| drop(product.into_data()));
        let heard = listening.heard();
        let expected = ["matmul_few_rows", "matmul_shared_lhs"][count - 1];
        assert_eq!(heard, [expected], "{count} products");
    }
}
