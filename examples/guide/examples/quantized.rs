//! The guide's model with weights of few bits: the size of its file, and how well it still reads digits.
//!
//! ```text
//! cargo run --release --package guide --example guide
//! cargo run --release --package guide --example quantized --features quantization
//! ```

use burn::backend::NdArray;
use burn::data::dataset::vision::DigitsDataset;
use burn::prelude::*;
use burn::record::{BinBytesRecorder, FullPrecisionSettings};
use burn::tensor::quantization::{QuantizationScheme, QuantizationType};
use guide::model::Model;
use guide::quantization::{quantize, quantize_by_output};
use guide::{data, inference};
use std::error::Error;
use std::path::Path;

/// Seed of the guide's split of the images.
const SEED: u64 = 42;

fn main() -> Result<(), Box<dyn Error>> {
    type B = NdArray;
    let device = Default::default();
    let model = inference::load::<B>(Path::new("artifacts/guide"), &device)?;
    let int8 = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
    let int4 = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt4);
    let int2 = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt2);
    let fp8 = QuantizationScheme::PerTensorSymmetric(QuantizationType::QFloat8E4M3);
    report("f32", &model, &model)?;
    report("QInt8, one scale", &model, &quantize(model.clone(), int8))?;
    report("QInt8, a scale for each output", &model, &quantize_by_output(model.clone(), int8))?;
    report("QFloat8E4M3, one scale", &model, &quantize(model.clone(), fp8))?;
    report("QInt4, one scale", &model, &quantize(model.clone(), int4))?;
    report("QInt4, a scale for each output", &model, &quantize_by_output(model.clone(), int4))?;
    report("QInt2, a scale for each output", &model, &quantize_by_output(model.clone(), int2))?;
    Ok(())
}

/// Size, accuracy, and how far the scores are from those of `exact`.
fn report<B: Backend>(name: &str, exact: &Model<B>, model: &Model<B>) -> Result<(), Box<dyn Error>> {
    use burn::data::dataloader::batcher::Batcher;
    let device = Default::default();
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let bytes = recorder.record(model.clone().into_record(), ())?;
    let (_, test) = DigitsDataset::train_test_mnist(SEED);
    let correct = inference::count_correct(model, &test, &device);
    let items = (0..test.len()).filter_map(|index| test.get(index)).collect();
    let images = data::MnistBatcher::<B>::new(device).batch(items).images;
    let scores = exact.forward(images.clone());
    let error = (model.forward(images) - scores.clone()).square().mean().sqrt();
    let error = (error / scores.square().mean().sqrt()).into_scalar();
    println!(
        "{name:32} {:9} bytes, {correct} of {} right, error of the scores {:.2} %",
        bytes.len(),
        test.len(),
        100.0 * error.elem::<f64>()
    );
    Ok(())
}
