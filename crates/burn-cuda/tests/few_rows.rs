//! Products and attention of few rows, as when a language model decodes.

mod device;

use burn_conformance::few_rows;
use burn_cuda::{Cuda, CudaDevice};
use burn_fusion::Fusion;

#[test]
fn few_rows_times_blocks_equal_the_f64_product_of_dequantized_weights() {
    device::require();
    few_rows::check_blocks::<Cuda>(&CudaDevice::default());
}

#[test]
fn few_rows_times_columns_and_what_follows_equal_those_of_f64() {
    device::require();
    few_rows::check_products::<Cuda>(&CudaDevice::default());
    few_rows::check_products::<Fusion<Cuda>>(&CudaDevice::default());
}

#[test]
fn products_of_a_norm_equal_those_of_f64() {
    device::require();
    few_rows::check_products_of_norms::<Fusion<Cuda>>(&CudaDevice::default());
}

#[test]
fn attention_of_one_query_equals_that_of_f64() {
    device::require();
    few_rows::check_attention::<Cuda>(&CudaDevice::default());
    few_rows::check_quantized_attention::<Cuda>(&CudaDevice::default());
}
