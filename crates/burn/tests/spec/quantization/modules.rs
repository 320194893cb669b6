//! QU: quantized modules, and what is saved of them.

use crate::expect::exactly;
use crate::given::{B, CPU, float};
use burn::backend::Autodiff;
use burn::module::{AutodiffModule, Dequantize, MinMaxCalibration, Module, Param, Quantizer};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::record::{
    BinFileRecorder, CompactRecorder, FileRecorder, FullPrecisionSettings, HalfPrecisionSettings,
    NamedMpkFileRecorder, NamedMpkGzFileRecorder, PrettyJsonFileRecorder,
};
use burn::tensor::backend::Backend;
use burn::tensor::quantization::{QuantizationScheme, QuantizationType};
use burn::tensor::{Tensor, TensorPrimitive};
use tempfile::tempdir;

const SYMMETRIC: QuantizationScheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);

#[derive(Module, Debug)]
struct Model<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
}

impl<B: Backend> Model<B> {
    fn new(device: &B::Device) -> Self {
        Model { first: LinearConfig::new(64, 96).init(device), second: LinearConfig::new(96, 8).init(device) }
    }
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.second.forward(self.first.forward(x).tanh())
    }
}

fn quantizer(scheme: QuantizationScheme) -> Quantizer {
    Quantizer { calibration: MinMaxCalibration {}, scheme }
}

fn weights<B: Backend>(model: &Model<B>) -> [Tensor<B, 2>; 2] {
    [model.first.weight.val(), model.second.weight.val()]
}

/// The words of a quantized tensor.
fn words(x: Tensor<B, 2>) -> Vec<f64> {
    let TensorPrimitive::QFloat(parts) = x.into_primitive() else { panic!("it is quantized") };
    Tensor::<B, 1, burn::tensor::Int>::from_handle(parts.packed().values.clone()).into_data().to_f64()
}

#[test]
fn qu_003_a_quantizer_is_a_calibration_and_a_scheme() {
    let scheme = QuantizationScheme::PerTensorAffine(QuantizationType::QInt8);
    let mut quantizer = Quantizer { calibration: MinMaxCalibration {}, scheme };
    let weight: Param<Tensor<B, 2>> = Param::from_data([[0.0, 255.0], [7.0, 8.4]], CPU);
    let weight = weight.quantize_weights(&mut quantizer);
    assert_eq!(weight.quantization(), Some(scheme));
    // Steps of 1.
    exactly(weight.val(), [[0.0, 255.0], [7.0, 8.0]]);
}

#[test]
fn qu_005_weights_are_quantized_and_biases_stay() {
    let model = Model::<B>::new(CPU);
    let biases = [&model.first, &model.second].map(|layer| layer.bias.clone().expect("a bias").to_data());
    for scheme in [SYMMETRIC, SYMMETRIC.per_channel(1), SYMMETRIC.per_block(8)] {
        let quantized = model.clone().quantize_weights(&mut quantizer(scheme));
        for (before, after) in weights(&model).into_iter().zip(weights(&quantized)) {
            assert_eq!(after.quantization(), Some(scheme));
            let largest = before.clone().abs().max().into_scalar();
            let error = (after - before).abs().max().into_scalar();
            assert!(error > 0.0 && error <= largest / 127.0 * 0.500_1, "{error} of {largest}");
        }
        let found =
            [&quantized.first, &quantized.second].map(|layer| layer.bias.clone().expect("a bias").to_data());
        assert_eq!(found, biases);
        assert_eq!(quantized.num_params(), model.num_params());
        // A second time nothing changes.
        let again = quantized.clone().quantize_weights(&mut quantizer(SYMMETRIC));
        assert_eq!(again.first.weight.quantization(), Some(scheme));
    }
    // Blocks of 5 fit neither layer, and blocks of 12 one of them.
    let blocks = |size| weights(&model.clone().quantize_weights(&mut quantizer(SYMMETRIC.per_block(size))));
    assert_eq!(blocks(5).map(|weight| weight.is_quantized()), [false, false]);
    assert_eq!(blocks(12).map(|weight| weight.is_quantized()), [true, false]);
}

#[test]
fn qu_005_the_quantized_model_computes_nearly_the_same() {
    B::seed(3);
    let model = Model::<B>::new(CPU);
    let x = Tensor::random([16, 64], burn::tensor::Distribution::Default, CPU);
    let expected = model.forward(x.clone());
    let found = model.quantize_weights(&mut quantizer(SYMMETRIC)).forward(x);
    let error = (found - expected.clone()).abs().mean().into_scalar();
    let size = expected.abs().mean().into_scalar();
    assert!(error > 0.0 && error < 0.02 * size, "{error} of {size}");
}

#[test]
fn qu_007_dequantize_maps_a_loaded_model_to_floats() {
    let folder = tempdir().unwrap();
    let recorder = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
    let quantized = Model::<B>::new(CPU).quantize_weights(&mut quantizer(SYMMETRIC));
    quantized.save_file(folder.path().join("model"), &recorder).unwrap();
    let loaded = Model::<B>::new(CPU)
        .load_file(folder.path().join("model"), &recorder, CPU)
        .expect("the file was just written")
        .map(&mut Dequantize {});
    for (loaded, saved) in weights(&loaded).into_iter().zip(weights(&quantized)) {
        assert!(!loaded.is_quantized());
        exactly(loaded, saved.into_data());
    }
    assert_eq!(loaded.first.weight.id(), quantized.first.weight.id());
}

#[test]
fn qu_008_a_quantized_model_is_a_quarter_of_the_size() {
    let folder = tempdir().unwrap();
    let model = Model::<B>::new(CPU);
    let quantized = model.clone().quantize_weights(&mut quantizer(SYMMETRIC));
    let recorder = BinFileRecorder::<FullPrecisionSettings>::new();
    let size = |model: &Model<B>, name: &str| {
        model.save_file(folder.path().join(name), &recorder).unwrap();
        std::fs::metadata(folder.path().join(name).with_extension("bin")).unwrap().len() as f64
    };
    let ratio = size(&quantized, "quantized") / size(&model, "plain");
    // 6912 weights of one byte and 104 biases of four, and some names, of 7016 numbers of four bytes.
    assert!((0.25..0.30).contains(&ratio), "{ratio}");
}

#[test]
fn qu_008_every_recorder_keeps_every_bit() {
    fn keeps<R: FileRecorder<B>>(recorder: &R) {
        let folder = tempdir().unwrap();
        let types = [QuantizationType::QInt8, QuantizationType::QInt4, QuantizationType::QFloat8E4M3];
        for (value, affine) in types.into_iter().zip([true, true, false]) {
            let base = match affine {
                true => QuantizationScheme::PerTensorAffine(value),
                false => QuantizationScheme::PerTensorSymmetric(value),
            };
            for scheme in [base, base.per_channel(0), base.per_block(4)] {
                // So small that half precision has nothing for the scales.
                let model = Model::<B>::new(CPU);
                let first = model.first.weight.map(|weight| weight * 1e-6);
                let model = Model { first: Linear { weight: first, ..model.first }, ..model };
                let saved = model.quantize_weights(&mut quantizer(scheme));
                saved.save_file(folder.path().join("model"), recorder).unwrap();
                let loaded =
                    Model::<B>::new(CPU).load_file(folder.path().join("model"), recorder, CPU).unwrap();
                for (loaded, saved) in weights(&loaded).into_iter().zip(weights(&saved)) {
                    assert_eq!(loaded.quantization(), Some(scheme));
                    assert_eq!(words(loaded.clone()), words(saved.clone()));
                    assert_eq!(loaded.into_data(), saved.into_data());
                }
            }
        }
    }
    keeps(&BinFileRecorder::<HalfPrecisionSettings>::new());
    keeps(&NamedMpkGzFileRecorder::<FullPrecisionSettings>::new());
    keeps(&PrettyJsonFileRecorder::<FullPrecisionSettings>::new());
    keeps(&CompactRecorder::new());
}

#[test]
fn qu_008_the_record_says_whether_a_parameter_is_quantized() {
    let model = Model::<B>::new(CPU);
    let quantized = model.clone().quantize_weights(&mut quantizer(SYMMETRIC));
    let floats = quantized.clone().load_record(model.clone().into_record());
    assert!(!floats.first.weight.is_quantized());
    exactly(floats.first.weight.val(), model.first.weight.to_data());
    let numbers = model.load_record(quantized.clone().into_record());
    assert_eq!(words(numbers.first.weight.val()), words(quantized.first.weight.val()));
    // Another shape is an error, quantized or not.
    let other: Param<Tensor<B, 2>> = Param::from_tensor(float([[1.0, 2.0]]));
    let other = other.quantize_weights(&mut quantizer(SYMMETRIC));
    assert!(numbers.first.weight.clone().try_load_record(other).is_err());
}

#[test]
fn qu_005_training_goes_on_beside_quantized_weights() {
    type A = Autodiff<B>;
    let model = Model::<A>::new(CPU);
    let floats = model.second.weight.clone();
    let mut model = model.quantize_weights(&mut quantizer(SYMMETRIC));
    assert!(!model.second.weight.is_require_grad());
    // The second layer is trained, through the first, which is quantized.
    model.second.weight = floats;
    assert!(model.second.weight.is_require_grad());
    assert!(model.valid().first.weight.is_quantized());

    let mut optimizer = AdamConfig::new().init();
    let x = Tensor::<A, 2>::ones([4, 64], CPU);
    let before = (words(model.first.weight.val().inner()), model.second.weight.to_data());
    let gradients = GradientsParams::from_grads(model.forward(x).square().sum().backward(), &model);
    let model = optimizer.step(0.1, model, gradients);
    assert_eq!(words(model.first.weight.val().inner()), before.0);
    assert_ne!(model.second.weight.to_data(), before.1);
    // As floats it asks for gradients again.
    let model = model.map(&mut Dequantize {});
    assert!(model.first.weight.is_require_grad() && model.first.weight.val().is_require_grad());
}
