use burn::backend::{Autodiff, NdArray};
use burn::module::{Calibration, Dequantize, MinMaxCalibration, Module, Param, Quantizer};
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::record::{BinFileRecorder, FullPrecisionSettings};
use burn::tensor::quantization::{
    QuantizationParameters, QuantizationScheme, QuantizationType, compute_q_params,
};

#[test]
fn a_tensor_goes_to_eight_bits_and_back() {
    let device = Default::default();
    // ANCHOR: dynamic
    let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
    let x = Tensor::<NdArray, 2>::from_data([[0.5, -1.27, 0.013]], &device);
    let quantized = x.quantize_dynamic(&scheme); // in steps of 1.27 / 127
    assert!(quantized.is_quantized());
    let x = quantized.dequantize();
    // ANCHOR_END: dynamic
    let error = (x - Tensor::from_data([[0.5, -1.27, 0.01]], &device)).abs().max().into_scalar();
    assert!(error < 1e-6, "{error}");
}

#[test]
fn given_scales_are_taken() {
    let device = Default::default();
    let x = Tensor::<NdArray, 1>::from_data([0.0, 1.0, 2.24], &device);
    // ANCHOR: given
    let scheme = QuantizationScheme::PerTensorAffine(QuantizationType::QInt8);
    let parameters = QuantizationParameters {
        scale: Tensor::from_data([0.5], &device),
        offset: Some(Tensor::from_data([-128], &device)),
    };
    let quantized = x.quantize(&scheme, parameters);
    // ANCHOR_END: given
    assert_eq!(quantized.into_data().to_f64(), [0.0, 1.0, 2.0]);
}

#[test]
fn schemes_have_finer_scales_and_other_numbers() {
    // ANCHOR: schemes
    let bytes = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
    let columns = bytes.per_channel(1); // a scale for each index of dimension 1
    let nibbles = QuantizationScheme::PerTensorAffine(QuantizationType::QInt4).per_block(32);
    // ANCHOR_END: schemes
    let shape = Shape::new([64, 128]);
    assert_eq!([bytes, columns, nibbles].map(|scheme| scheme.scales(&shape)), [1, 128, 256]);
    assert_eq!([bytes, columns, nibbles].map(|scheme| scheme.words(&shape)), [2048, 2048, 1024]);
}

// ANCHOR: calibrate
/// Scales for activations, from batches like those to come.
fn calibrate<B: Backend>(
    batches: impl Iterator<Item = Tensor<B, 2>>,
    scheme: &QuantizationScheme,
) -> Option<QuantizationParameters<B>> {
    let mut range = None;
    for batch in batches {
        range = Some(MinMaxCalibration {}.update_range(range, &batch, scheme));
    }
    range.map(|range| compute_q_params(scheme, range))
}
// ANCHOR_END: calibrate

#[test]
fn a_running_range_has_the_extremes_of_all_batches() {
    let device = Default::default();
    let batches = [[[0.0, 3.0]], [[-127.5, 1.0]], [[2.0, 127.5]]];
    let batches = batches.map(|batch| Tensor::<NdArray, 2>::from_data(batch, &device));
    let scheme = QuantizationScheme::PerTensorAffine(QuantizationType::QInt8);
    let parameters = calibrate(batches.into_iter(), &scheme).expect("there are batches");
    assert_eq!(parameters.scale.into_scalar(), 1.0);
}

#[test]
fn a_module_is_quantized_saved_and_loaded() -> Result<(), Box<dyn std::error::Error>> {
    let device = Default::default();
    let file = std::env::temp_dir().join(format!("burn-book-quantized-{}", std::process::id()));
    let fresh = LinearConfig::new(2, 2).init::<NdArray>(&device);
    let weight: Param<Tensor<NdArray, 2>> = Param::from_data([[0.1, -127.0], [63.7, 2.0]], &device);
    let model = Linear::new(weight, None);
    let fresh = Linear { bias: None, ..fresh };
    // ANCHOR: module
    let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
    let mut quantizer = Quantizer { calibration: MinMaxCalibration {}, scheme };
    let recorder = BinFileRecorder::<FullPrecisionSettings>::new();
    model.quantize_weights(&mut quantizer).save_file(&file, &recorder)?;

    // A fresh model becomes quantized by loading; floats, if a program wants them, are one walk away.
    let model = fresh.load_file(&file, &recorder, &device)?;
    assert!(model.weight.is_quantized());
    let model = model.map(&mut Dequantize {});
    // ANCHOR_END: module
    std::fs::remove_file(file.with_extension("bin"))?;
    assert_eq!(model.weight.val().into_data().to_f64(), [0.0, -127.0, 64.0, 2.0]);
    Ok(())
}

#[test]
fn gradients_flow_past_quantized_weights() {
    let device = Default::default();
    // ANCHOR: gradient
    let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
    let frozen = Tensor::<Autodiff<NdArray>, 2>::from_data([[127.0], [-3.0]], &device);
    let frozen = frozen.quantize_dynamic(&scheme);
    let x = Tensor::from_data([[1.0, 2.0]], &device).require_grad();
    let gradients = x.clone().matmul(frozen.clone()).sum().backward();
    assert!(x.grad(&gradients).is_some() && frozen.grad(&gradients).is_none());
    // ANCHOR_END: gradient
    assert_eq!(x.grad(&gradients).expect("it is tracked").into_data().to_f64(), [127.0, -3.0]);
}
