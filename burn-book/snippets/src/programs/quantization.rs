// ANCHOR: program
use burn::backend::NdArray;
use burn::module::{MinMaxCalibration, Quantizer};
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::tensor::quantization::{QuantizationScheme, QuantizationType};

fn main() {
    let device = Default::default();
    let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);

    // A tensor: 8 bits for each element and one scale, here 1.27 / 127.
    let x = Tensor::<NdArray, 2>::from_data([[0.5, -1.27, 0.013]], &device);
    let quantized = x.quantize_dynamic(&scheme);
    println!("{:.2}", quantized.dequantize());

    // The weights of a module.
    let model: Linear<NdArray> = LinearConfig::new(64, 64).init(&device);
    let mut quantizer = Quantizer { calibration: MinMaxCalibration {}, scheme };
    let quantized = model.quantize_weights(&mut quantizer);
    println!("quantized: {}", quantized.weight.is_quantized());
}
// ANCHOR_END: program

#[test]
fn x_701_quantization() {
    crate::page_output::page_prints!("quantization.md");
}
