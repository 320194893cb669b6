//! Models that PyTorch exports, run by [`Graph`] as onnxruntime runs them: `scripts/onnx_exports.py --bench` makes them.

use crate::workload::Workload;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_onnx::run::read_value;
use burn_onnx::{Graph, RunValue};
use burn_tensor::{Backend, DynTensor, Int};
use std::hint::black_box;
use std::path::PathBuf;

pub(super) fn all() -> Vec<Workload> {
    let names = ["onnx resnet18", "onnx mobilenet_v2", "onnx minilm", "onnx gpt2"];
    let contenders: [(_, fn(&'static str) -> _); 2] =
        [("NdArray", run::<NdArray>), ("Fusion<NdArray>", run::<Fusion<NdArray>>)];
    names.into_iter().map(|name| Workload::model(name, contenders).at_most(1.0)).collect()
}

/// The folder of a model: the one that is asked for, or that of `cargo xtask onnx --pytorch`.
fn folder(name: &str) -> PathBuf {
    let built = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/onnx-exports");
    let exports = std::env::var_os("BURN_ONNX_EXPORTS").map_or_else(built, PathBuf::from);
    exports.join("bench").join(name.trim_start_matches("onnx "))
}

fn run<B: Backend>(name: &'static str) -> Result<Box<dyn FnMut()>, String> {
    let folder = folder(name);
    let graph = Graph::load(folder.join("model.onnx")).map_err(|error| error.to_string())?;
    let device = B::Device::default();
    let mut inputs = Vec::new();
    for (place, info) in graph.inputs().enumerate() {
        let file = folder.join(format!("test_data_set_0/input_{place}.pb"));
        let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        inputs.push(read_value::<B>(bytes, &info.value_type)?);
    }
    // Data moves to the device once; a copy of a tensor is a count.
    let inputs: Vec<RunValue<B>> = inputs.into_iter().map(|value| uploaded(value, &device)).collect();
    Ok(Box::new(move || {
        let outputs = graph.run::<B>(inputs.clone(), &device);
        let outputs = black_box(outputs.unwrap_or_else(|error| panic!("{name}: {error}")));
        // A queue does not compute what was dropped before.
        B::sync(&device);
        drop(outputs);
    }))
}

fn uploaded<B: Backend>(value: RunValue<B>, device: &B::Device) -> RunValue<B> {
    match value {
        RunValue::Data(data) if data.dtype.is_float() => DynTensor::<B>::from_data(data, device).into(),
        RunValue::Data(data) => {
            let dtype = data.dtype;
            DynTensor::<B, Int>::from_data(data, (device, dtype)).into()
        }
        other => other,
    }
}
