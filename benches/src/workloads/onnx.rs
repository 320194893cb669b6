//! Models that PyTorch exports, run by [`Graph`] as onnxruntime runs them: `scripts/onnx_exports.py --bench`
//! makes them.

#[cfg(feature = "onnx-generated")]
use super::onnx_generated;
use crate::workload::Workload;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_onnx::run::read_value;
use burn_onnx::{Graph, OnnxError, RunValue};
use burn_tensor::{Backend, DynTensor, HasSpec, Int, TensorData};
use std::hint::black_box;
use std::path::{Path, PathBuf};

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

/// Models of a folder that `onnxruntime/folder.py` prepared: `Graph::run`, which keeps the operations of
/// earlier runs, `Graph::run_recorded`, and source generated for these shapes where a model has some.
pub(crate) fn of_folder(folder: &Path) -> Result<Vec<Workload>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.join("bench")).map_err(failed)? {
        names.push(format!("onnx {}", entry.map_err(failed)?.file_name().to_string_lossy()));
    }
    names.sort();
    let graphs: [(_, Prepare); 3] = [
        ("NdArray", checked::<NdArray>),
        ("Fusion<NdArray>", checked::<Fusion<NdArray>>),
        ("recorded", recorded::<NdArray>),
    ];
    let model = |name: String| {
        // Names of workloads live as long as the program.
        let workload = Workload::model(name.leak(), graphs);
        #[cfg(feature = "onnx-generated")]
        let workload = match onnx_generated::missing(workload.name) {
            None => workload
                .with_model("generated", onnx_generated::checked::<NdArray>)
                .with_model("generated, Fusion", onnx_generated::checked::<Fusion<NdArray>>),
            Some(reason) => {
                eprintln!("{}: no source: {reason}", workload.name);
                workload
            }
        };
        workload
    };
    Ok(names.into_iter().map(model).collect())
}

/// How a graph runs.
type RunGraph<B> =
    fn(&Graph, Vec<RunValue<B>>, &<B as Backend>::Device) -> Result<Vec<RunValue<B>>, OnnxError>;

fn run<B: Backend>(name: &'static str) -> Result<Box<dyn FnMut()>, String> {
    prepared::<B>(name, Graph::run, false)
}

fn checked<B: Backend>(name: &'static str) -> Result<Box<dyn FnMut()>, String> {
    prepared::<B>(name, Graph::run, true)
}

/// The recording; the graph itself where the model cannot be recorded with open sizes.
fn recorded<B: Backend>(name: &'static str) -> Result<Box<dyn FnMut()>, String> {
    prepared::<B>(name, Graph::run_recorded, true).or_else(|_| prepared::<B>(name, Graph::run, true))
}

fn prepared<B: Backend>(
    name: &'static str,
    run: RunGraph<B>,
    is_checked: bool,
) -> Result<Box<dyn FnMut()>, String> {
    let (graph, device) = (graph(name)?, B::Device::default());
    let inputs = inputs::<B>(name, &graph, &device)?;
    if is_checked {
        // The second run is recorded, and the fourth one repeats what was.
        for _ in 0..4 {
            let outputs = run(&graph, inputs.clone(), &device).map_err(|error| error.to_string())?;
            check_outputs(name, &graph, outputs)?;
        }
    }
    Ok(Box::new(move || {
        finished::<B, _>(&device, || {
            let outputs = run(&graph, inputs.clone(), &device);
            outputs.unwrap_or_else(|error| panic!("{name}: {error}"))
        });
    }))
}

/// Compares outputs with those of onnxruntime: they may differ by a thousandth of the largest number.
pub(super) fn check_outputs<B: Backend>(
    name: &str,
    graph: &Graph,
    outputs: Vec<RunValue<B>>,
) -> Result<(), String> {
    for ((place, info), output) in graph.model().graph.outputs.iter().enumerate().zip(outputs) {
        let file = folder(name).join(format!("test_data_set_0/output_{place}.pb"));
        let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let (found, expected) = (data(output)?, data(read_value::<B>(bytes, &info.value_type)?)?);
        if found.num_elements() != expected.num_elements() {
            let shapes = (&found.shape, &expected.shape);
            return Err(format!(
                "output `{}` has the shape {:?}, onnxruntime's {:?}",
                info.name, shapes.0, shapes.1
            ));
        }
        let largest = expected.iter::<f64>().fold(1e-3_f64, |largest, value| largest.max(value.abs()));
        let numbers = found.iter::<f64>().zip(expected.iter::<f64>());
        let difference = numbers.map(|(found, expected)| difference(found, expected)).fold(0.0, f64::max);
        if difference > 1e-3 * largest {
            return Err(format!("output `{}` differs by {difference:e} from onnxruntime's", info.name));
        }
    }
    Ok(())
}

/// Infinite where one of the numbers alone is none.
fn difference(found: f64, expected: f64) -> f64 {
    if found == expected || (found.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    let difference = (found - expected).abs();
    if difference.is_nan() { f64::INFINITY } else { difference }
}

fn data<B: Backend>(value: RunValue<B>) -> Result<TensorData, String> {
    match value {
        RunValue::Data(data) => Ok(data),
        RunValue::Tensor(tensor) if tensor.dtype().is_float() => {
            DynTensor::<B>::from_handle(tensor).try_into_data().map_err(|error| error.to_string())
        }
        RunValue::Tensor(tensor) => {
            DynTensor::<B, Int>::from_handle(tensor).try_into_data().map_err(|error| error.to_string())
        }
        other => Err(format!("expected a tensor, found {other:?}")),
    }
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
