use burn_conformance::few_rows;
use burn_ndarray::NdArray;

#[test]
fn x_605_attention_of_one_query_is_that_of_f64_to_keys_of_f32_and_of_8_bits() {
    few_rows::check_attention::<NdArray>(&Default::default());
    few_rows::check_quantized_attention::<NdArray>(&Default::default());
}
