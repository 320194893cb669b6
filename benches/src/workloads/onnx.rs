//! Models that PyTorch exports, run by [`Graph`] as onnxruntime runs them: `scripts/onnx_exports.py --bench`
//! makes them.

#[cfg(feature = "onnx-generated")]
use super::onnx_generated;
use crate::workload::Workload;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_onnx::run::read_value;
use burn_onnx::{Graph, RunValue};
use burn_tensor::{Backend, DynTensor, Int};
use std::hint::black_box;
use std::path::PathBuf;

/// Makes the call that is timed of the model of a workload.
type Prepare = fn(&'static str) -> Result<Box<dyn FnMut()>, String>;

pub(super) fn all() -> Vec<Workload> {
    let names = ["onnx resnet18", "onnx mobilenet_v2", "onnx minilm", "onnx gpt2"];
    let graphs: [(_, Prepare); 2] =
        [("NdArray", run::<NdArray>), ("Fusion<NdArray>", run::<Fusion<NdArray>>)];
    let mut workloads = Vec::new();
    for name in names {
        let workload = Workload::model(name, graphs).at_most(1.0);
        #[cfg(feature = "onnx-generated")]
        let workload = workload
            .with_model("generated", onnx_generated::run::<NdArray>)
            .with_model("generated, Fusion", onnx_generated::run::<Fusion<NdArray>>)
            .at_most(1.0);
        workloads.push(workload);
    }
    workloads
}

/// The folder of a model: the one that is asked for, or that of `cargo xtask onnx --pytorch`.
fn folder(name: &str) -> PathBuf {
    let built = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/onnx-exports");
    let exports = std::env::var_os("BURN_ONNX_EXPORTS").map_or_else(built, PathBuf::from);
    exports.join("bench").join(name.trim_start_matches("onnx "))
}

/// The inputs of a model's test data, on the device: a copy of such a tensor is a count.
pub(super) fn inputs<B: Backend>(
    name: &str,
    graph: &Graph,
    device: &B::Device,
) -> Result<Vec<RunValue<B>>, String> {
    let folder = folder(name);
    let mut inputs = Vec::new();
    for (place, info) in graph.inputs().enumerate() {
        let file = folder.join(format!("test_data_set_0/input_{place}.pb"));
        let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        inputs.push(uploaded(read_value::<B>(bytes, &info.value_type)?, device));
    }
    Ok(inputs)
}

/// The graph of a model.
pub(super) fn graph(name: &str) -> Result<Graph, String> {
    Graph::load(folder(name).join("model.onnx")).map_err(|error| error.to_string())
}

/// Runs a model until its outputs are there: a queue does not compute what was dropped before.
pub(super) fn finished<B: Backend, T>(device: &B::Device, run: impl FnOnce() -> T) {
    let outputs = black_box(run());
    B::sync(device);
    drop(outputs);
}

fn run<B: Backend>(name: &'static str) -> Result<Box<dyn FnMut()>, String> {
    let (graph, device) = (graph(name)?, B::Device::default());
    let inputs = inputs::<B>(name, &graph, &device)?;
    Ok(Box::new(move || {
        finished::<B, _>(&device, || {
            let outputs = graph.run::<B>(inputs.clone(), &device);
            outputs.unwrap_or_else(|error| panic!("{name}: {error}"))
        });
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
