//! Loading, training and saving of weights in safetensors files.

use burn::weights::Strictness;
use safetensors_import::{B, TRAINED, config, load, save, train};

#[test]
fn x_402_the_convolutions_are_loaded_and_the_last_layer_is_reported() {
    let (_, report) = load(&Default::default()).unwrap();
    assert_eq!(report.loaded.len(), 12);
    let shapes: Vec<&str> = report.mismatch.shapes.iter().map(|shape| shape.key.as_str()).collect();
    assert_eq!(shapes, ["classifier.weight", "classifier.bias"]);
    assert!(report.mismatch.missing.is_empty() && report.mismatch.unexpected.is_empty());
}

#[test]
fn x_401_the_trained_network_is_written_with_pytorchs_names() {
    let (device, folder) = (Default::default(), tempfile::tempdir().unwrap());
    let (model, right) = train(load(&device).unwrap().0, &device).unwrap();
    // Half of them would be chance.
    assert!(right >= (200 - TRAINED as i64) * 8 / 10, "{right} are right");
    let path = folder.path().join("parity.safetensors");
    save(&model, &path).unwrap();
    let weights = burn_import::open(&path).unwrap();
    let shape =
        |name: &str| weights.tensors().iter().find(|tensor| tensor.name() == name).unwrap().shape().to_vec();
    assert_eq!((shape("classifier.weight"), shape("norm1.weight")), (vec![2, 64], vec![8]));
    let (again, _) = weights.load_into(config().init::<B>(&device), Strictness::Strict).unwrap();
    assert_eq!(again.classifier.weight.to_data(), model.classifier.weight.to_data());
}
