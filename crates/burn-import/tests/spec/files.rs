//! The fixtures, and what is in them.

use burn::backend::NdArray;
use burn::backend::ndarray::NdArrayDevice;
use burn::tensor::{Tensor, TensorData};
use serde_json::Value;
use std::path::PathBuf;

pub type B = NdArray;
pub const CPU: &NdArrayDevice = &NdArrayDevice::Cpu;

/// Returns the path of a fixture.
pub fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Computes `cos(start), cos(start + 1), ..`: the elements of tensors in the fixtures.
pub fn wave(count: usize, start: usize) -> Vec<f64> {
    (0..count).map(|k| ((start + k) as f64).cos()).collect()
}

/// Creates a tensor of a [`wave`].
pub fn wave_tensor<const D: usize>(shape: [usize; D], start: usize) -> Tensor<B, D> {
    let data = TensorData::new(wave(shape.iter().product(), start), shape);
    Tensor::from_data(data, CPU)
}

/// Returns the expected value under `section` and `name` of `expected.json`.
pub fn expected(section: &str, name: &str) -> TensorData {
    let text = std::fs::read_to_string(fixture("expected.json")).expect("the fixture is there");
    let json: Value = serde_json::from_str(&text).expect("the fixture is JSON");
    let tensor = &json[section][name];
    let list =
        |key: &str| tensor[key].as_array().unwrap_or_else(|| panic!("{section}.{name} has {key}")).clone();
    let shape: Vec<usize> =
        list("shape").iter().map(|size| size.as_u64().expect("a size") as usize).collect();
    let values: Vec<f64> = list("values").iter().map(|value| value.as_f64().expect("a number")).collect();
    TensorData::new(values, shape)
}

/// Asserts that the shape equals `expected`, and that no element differs by more than `tolerance`.
#[track_caller]
pub fn close(found: &TensorData, expected: &TensorData, tolerance: f64) {
    assert_eq!(found.shape, expected.shape);
    for (index, (a, b)) in found.iter::<f64>().zip(expected.iter::<f64>()).enumerate() {
        assert!((a - b).abs() <= tolerance, "element {index}: {a} instead of {b}");
    }
}
