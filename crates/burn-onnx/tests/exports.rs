//! Tiny models of well-known architectures in `tests/exports`, which `scripts/onnx_exports.py --tiny` made by
//! both exporters of PyTorch, with PyTorch's outputs.

use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_onnx::graph::ValueInfo;
use burn_onnx::run::read_value;
use burn_onnx::{Graph, RunValue};
use burn_tensor::{Backend, DynTensor, TensorData};
use std::path::{Path, PathBuf};

/// Tolerance, relative to the largest value of an output.
const TOLERANCE: f64 = 1e-4;

fn values<B: Backend>(folder: &Path, kind: &str, infos: &[ValueInfo]) -> Vec<RunValue<B>> {
    let read = |(place, info): (usize, &ValueInfo)| {
        let file = folder.join(format!("test_data_set_0/{kind}_{place}.pb"));
        read_value(std::fs::read(file).unwrap(), &info.value_type).unwrap()
    };
    infos.iter().enumerate().map(read).collect()
}

fn data<B: Backend>(value: RunValue<B>) -> TensorData {
    match value {
        RunValue::Data(data) => data,
        RunValue::Tensor(tensor) => DynTensor::<B>::from_handle(tensor).into_data(),
        other => panic!("expected a tensor, found {other:?}"),
    }
}

fn check<B: Backend>(folder: &Path) -> Result<(), String> {
    let graph = Graph::load(folder.join("model.onnx")).map_err(|error| error.to_string())?;
    let infos: Vec<ValueInfo> = graph.inputs().cloned().collect();
    let inputs = values::<B>(folder, "input", &infos);
    // The second run takes what the first one prepared.
    for run in ["first", "second"] {
        let outputs =
            graph.run::<B>(inputs.clone(), &B::Device::default()).map_err(|error| error.to_string())?;
        let expected = values::<B>(folder, "output", &graph.model().graph.outputs);
        for (place, (found, expected)) in outputs.into_iter().zip(expected).enumerate() {
            let (found, expected) = (data(found), data(expected));
            if found.shape != expected.shape {
                return Err(format!("output {place} is {:?}, expected {:?}", found.shape, expected.shape));
            }
            let largest = expected.iter::<f64>().fold(1e-3, |largest: f64, value| largest.max(value.abs()));
            let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
            let worst = pairs.map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max);
            if worst > TOLERANCE * largest {
                return Err(format!(
                    "{run} run: output {place} differs by {worst}, the largest is {largest}"
                ));
            }
        }
    }
    Ok(())
}

fn folders(exporter: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports").join(exporter);
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert_eq!(folders.len(), 12, "{folders:?}");
    folders
}

fn check_all(exporter: &str) {
    let mut failures = Vec::new();
    for folder in folders(exporter) {
        for (backend, result) in
            [("NdArray", check::<NdArray>(&folder)), ("Fusion", check::<Fusion<NdArray>>(&folder))]
        {
            failures
                .extend(result.err().map(|reason| format!("{} on {backend}: {reason}", folder.display())));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn x_406_models_of_the_torchscript_exporter_give_pytorchs_outputs() {
    check_all("torchscript");
}

#[test]
fn x_406_models_of_the_dynamo_exporter_give_pytorchs_outputs() {
    check_all("dynamo");
}
