//! Products and attention of few rows, as when a language model decodes.

mod device;

use burn_conformance::few_rows;
use burn_fusion::Fusion;
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
fn attention_of_one_query_equals_that_of_f64() {
    device::require();
    few_rows::check_attention::<Wgpu>(&WgpuDevice::default());
}
