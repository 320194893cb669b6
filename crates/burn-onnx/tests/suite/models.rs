//! The folder of the models, and comparisons with expected outputs.

use burn_backend::HasSpec;
use burn_onnx::graph::ValueInfo;
use burn_onnx::run::read_value;
use burn_onnx::{Graph, RunValue};
use burn_tensor::{Backend, DynTensor, TensorData};
use std::path::{Path, PathBuf};

/// Every model.
pub const NAMES: [&str; 5] = ["control", "convnet", "encoder", "folding", "shapes"];

/// Returns the folder of a model.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

/// Loads a model.
pub fn load(name: &str) -> Graph {
    Graph::load(folder(name).join("model.onnx")).unwrap()
}

/// Reads the values in the files of a model.
pub fn values<'a, B: Backend>(
    name: &str,
    kind: &str,
    infos: impl Iterator<Item = &'a ValueInfo>,
) -> Vec<RunValue<B>> {
    let read = |(place, info): (usize, &ValueInfo)| {
        let bytes = std::fs::read(folder(name).join(format!("{kind}_{place}.pb"))).unwrap();
        read_value(bytes, &info.value_type).unwrap()
    };
    infos.enumerate().map(read).collect()
}

/// Returns the host data of a value.
pub fn data<B: Backend>(value: RunValue<B>) -> TensorData {
    match value {
        RunValue::Data(data) => data,
        RunValue::Tensor(tensor) if tensor.dtype().is_float() => {
            DynTensor::<B>::from_handle(tensor).into_data()
        }
        RunValue::Tensor(tensor) => DynTensor::<B, burn_tensor::Int>::from_handle(tensor).into_data(),
        other => panic!("expected a tensor, found {other:?}"),
    }
}

/// Asserts that two tensors differ by at most 1e-4 of the largest value.
#[track_caller]
pub fn assert_close(found: &TensorData, expected: &TensorData) {
    assert_eq!((found.dtype, &found.shape), (expected.dtype, &expected.shape));
    let largest = expected.iter::<f64>().fold(1e-3, |largest: f64, value| largest.max(value.abs()));
    for (place, (found, expected)) in found.iter::<f64>().zip(expected.iter::<f64>()).enumerate() {
        assert!(
            (found - expected).abs() <= 1e-4 * largest,
            "element {place} is {found}, expected {expected}"
        );
    }
}
