//! Exported models, read and run again: on the same numbers, and with other sizes of the dynamic dimensions.

use super::cases::{self, Case};
use burn::backend::NdArray;
use burn_backend::HasSpec;
use burn_onnx::{Graph, Model, RunValue};
use burn_tensor::{DynTensor, Int, TensorData};

fn data(value: RunValue<NdArray>) -> TensorData {
    match value {
        RunValue::Data(data) => data,
        RunValue::Tensor(tensor) if tensor.dtype().is_float() => {
            DynTensor::<NdArray>::from_handle(tensor).into_data()
        }
        RunValue::Tensor(tensor) if tensor.dtype().is_int() => {
            DynTensor::<NdArray, Int>::from_handle(tensor).into_data()
        }
        RunValue::Tensor(tensor) => DynTensor::<NdArray, burn_tensor::Bool>::from_handle(tensor).into_data(),
        other => panic!("expected a tensor, found {other:?}"),
    }
}

/// Infinite if only one is NaN.
fn difference(found: f64, expected: f64) -> f64 {
    if found == expected || (found.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    let difference = (found - expected).abs();
    if difference.is_nan() { f64::INFINITY } else { difference }
}

/// Runs a case again, and returns what differs.
fn differences(case: Case) -> Vec<String> {
    let Case { name, model, runs } = case;
    let model = match model {
        Ok(model) => model,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    let graph = match Model::from_bytes(model).and_then(Graph::new) {
        Ok(graph) => graph,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    let mut differences = Vec::new();
    for (run, (inputs, outputs)) in runs.into_iter().enumerate() {
        let inputs = inputs.into_iter().map(RunValue::Data).collect();
        let found = match graph.run::<NdArray>(inputs, &Default::default()) {
            Ok(found) => found,
            Err(error) => {
                differences.push(format!("{name}, run {run}: {error}"));
                continue;
            }
        };
        assert_eq!(found.len(), outputs.len(), "{name}");
        for (place, (found, expected)) in found.into_iter().map(data).zip(outputs).enumerate() {
            if (found.dtype, &found.shape) != (expected.dtype, &expected.shape) {
                differences.push(format!(
                    "{name}, run {run}, output {place}: {}{:?}, expected {}{:?}",
                    found.dtype, found.shape, expected.dtype, expected.shape
                ));
                continue;
            }
            let largest = expected.iter::<f64>().fold(1e-3, |largest: f64, value| largest.max(value.abs()));
            let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
            let error = pairs.map(|(found, expected)| difference(found, expected)).fold(0.0, f64::max);
            if error > 2e-5 * largest {
                differences.push(format!("{name}, run {run}, output {place}: off by {error} of {largest}"));
            }
        }
    }
    differences
}

#[test]
fn x_405_exported_modules_give_the_same_outputs_when_they_are_read_again() {
    let cases = cases::all();
    assert!(cases.len() > 30, "{}", cases.len());
    let differences: Vec<String> = cases.into_iter().flat_map(differences).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
