//! Models of one node in `tests/operators`, which `scripts/onnx_operators.py` made with the outputs of
//! onnxruntime: operators and options that the official test data lacks.

use burn_ndarray::NdArray;
use burn_onnx::graph::ValueInfo;
use burn_onnx::run::read_value;
use burn_onnx::{Graph, RunValue};
use burn_tensor::backend::Backend;
use burn_tensor::{Bool, DynTensor, HasSpec, Int, TensorData};
use std::path::{Path, PathBuf};

const RELATIVE: f64 = 2e-4;
const ABSOLUTE: f64 = 2e-5;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/operators")
}

fn data(folder: &Path, file: &str, info: &ValueInfo) -> RunValue<NdArray> {
    let bytes = std::fs::read(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    read_value(bytes, &info.value_type).unwrap()
}

fn numbers(value: RunValue<NdArray>) -> TensorData {
    match value {
        RunValue::Data(data) => data,
        RunValue::Tensor(tensor) if tensor.dtype().is_float() => {
            DynTensor::<NdArray>::from_handle(tensor).into_data()
        }
        RunValue::Tensor(tensor) if tensor.dtype().is_int() => {
            DynTensor::<NdArray, Int>::from_handle(tensor).into_data()
        }
        RunValue::Tensor(tensor) => DynTensor::<NdArray, Bool>::from_handle(tensor).into_data(),
        other => panic!("expected a tensor, found {other:?}"),
    }
}

fn check(folder: &Path) -> Result<(), String> {
    let graph = Graph::load(folder.join("model.onnx")).map_err(|error| error.to_string())?;
    let inputs =
        graph.inputs().enumerate().map(|(place, info)| data(folder, &format!("input_{place}.pb"), info));
    let inputs = inputs.collect();
    let device = <NdArray as Backend>::Device::default();
    let outputs = graph.run::<NdArray>(inputs, &device).map_err(|error| error.to_string())?;
    for (place, (info, found)) in graph.model().graph.outputs.iter().zip(outputs).enumerate() {
        let expected = numbers(data(folder, &format!("output_{place}.pb"), info));
        let found = numbers(found);
        if found.dtype != expected.dtype || found.shape != expected.shape {
            return Err(format!(
                "output {place} is {} {:?}, expected {} {:?}",
                found.dtype, found.shape, expected.dtype, expected.shape
            ));
        }
        for (element, (found, expected)) in found.iter::<f64>().zip(expected.iter::<f64>()).enumerate() {
            if (found - expected).abs() > ABSOLUTE + RELATIVE * expected.abs() {
                return Err(format!("output {place}: element {element} is {found}, expected {expected}"));
            }
        }
    }
    Ok(())
}

#[test]
fn operators_give_what_onnxruntime_gives() {
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    assert!(cases.len() > 40, "only {} cases", cases.len());
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
            check(case).err().map(|reason| format!("{name}: {reason}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
