//! The generated network beside onnxruntime (`python/export.py`).

use burn::backend::{Autodiff, NdArray};
use burn::tensor::TensorData;
use onnx_inference::{Model, digits, images};

/// Logits of onnxruntime for the digits, `[100, 10]`.
static LOGITS: &[u8] = include_bytes!("../data/logits.bin");

fn assert_logits(found: TensorData) {
    assert_eq!(found.shape, [100, 10].into());
    let expected =
        LOGITS.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    for (found, expected) in found.iter::<f32>().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{found} and {expected}");
    }
}

#[test]
fn ex_013_a_generated_network_gives_the_logits_of_onnxruntime() {
    let device = Default::default();
    let model = Model::<NdArray>::default();
    let logits = model.forward(images(digits(), &device));
    let classes = logits.clone().argmax(1).into_data();
    let right = classes.iter::<u8>().zip(digits()).filter(|(class, digit)| *class == digit.label).count();
    assert_eq!(right, 96);
    assert_logits(logits.into_data());
}

#[test]
fn on_010_digits_are_read_on_a_backend_with_gradients() {
    type B = Autodiff<NdArray>;
    let device = Default::default();
    let model = Model::<B>::from_embedded();
    assert_logits(burn::module::AutodiffModule::valid(&model).forward(images(digits(), &device)).into_data());
    let gradients = model.forward(images(digits(), &device)).sum().backward();
    let bias = model.digits_classifier.bias.as_ref().expect("the layer has a bias");
    let gradient = bias.val().grad(&gradients).expect("the layer is trained").into_data();
    // The sum of the logits grows by 1 with each of the 100 biases.
    assert!(gradient.iter::<f32>().all(|gradient| (gradient - 100.0).abs() < 1e-3), "{gradient:?}");
}

#[test]
fn on_002_the_source_in_out_dir_is_the_included_one() {
    let folder = std::path::Path::new(env!("OUT_DIR")).join("model");
    let source = std::fs::read_to_string(folder.join("digits.rs")).expect("the build script wrote it");
    // The field that the test above takes, and the documentation of the inputs.
    assert!(source.contains("pub digits_classifier: Linear<B>,"), "{source}");
    assert!(source.contains("/// - `image`: `[batch, 1, 8, 8]`, f32"), "{source}");
    assert!(folder.join("digits.bin").exists(), "the weights lie beside the source");
}
