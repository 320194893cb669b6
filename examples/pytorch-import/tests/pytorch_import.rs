//! The network, its settings and its outputs.

use burn::backend::NdArray;
use burn::module::Module;
use burn::record::{FullPrecisionSettings, NamedMpkFileRecorder};
use pytorch_import::{config, convert, digits, load};

type B = NdArray;

#[test]
fn ex_014_a_checkpoint_of_pytorch_gives_pytorchs_logits() {
    let device = Default::default();
    let config = config().unwrap();
    assert_eq!((config.channels, config.classes, config.dropout), ([8, 16], 10, 0.1));
    let model = load::<B>(&config, &device).unwrap();
    let digits = digits::<B>(config.pixel_scale, &device).unwrap();
    let logits = model.forward(digits.images).into_data();
    assert_eq!(logits.shape, digits.logits.shape);
    for (found, expected) in logits.iter::<f64>().zip(digits.logits.iter::<f64>()) {
        assert!((found - expected).abs() < 1e-4, "{found} and {expected}");
    }
}

#[test]
fn ex_014_the_converted_file_is_the_same_network() {
    let (device, folder) = (Default::default(), tempfile::tempdir().unwrap());
    let config = config().unwrap();
    let model = load::<B>(&config, &device).unwrap();
    convert(&model, &folder.path().join("digits")).unwrap();
    let recorder = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
    let again =
        config.init::<B>(&device).load_file(folder.path().join("digits"), &recorder, &device).unwrap();
    let images = digits::<B>(config.pixel_scale, &device).unwrap().images;
    assert_eq!(again.forward(images.clone()).into_data(), model.forward(images).into_data());
}
