//! ONNX models: the fixtures of `burn-onnx`, and a model whose weights are in another file. Each is read,
//! recorded as generated source is, and run within a budget of memory, as what a model computes has no bound
//! of its own.

use super::target::Target;
use burn_backend::memory_budget::{MemoryBudget, MemoryScope, OverBudget};
use burn_ndarray::NdArray;
use burn_onnx::run::read_value;
use burn_onnx::{Graph, Limits, Model, Program, RunValue};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Iterations of a run: a damaged number of them ends there.
const MOST_TRIPS: u64 = 4096;

/// Bytes of the tensors of a run.
const MOST_BYTES: u64 = 128 << 20;

#[derive(Debug, Default)]
struct Budget(AtomicU64);

impl MemoryBudget for Budget {
    fn take(&self, wanted: u64) -> Result<(), OverBudget> {
        let more = |used: u64| used.checked_add(wanted).filter(|used| *used <= MOST_BYTES);
        match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(()),
            Err(used) => Err(OverBudget { wanted, left: MOST_BYTES - used }),
        }
    }

    fn give_back(&self, bytes: u64) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Reads, records and runs a model with inputs from the files that it came with.
fn run(folder: &Path, file: &str) -> Result<(), String> {
    let limits = Limits::default().with_bytes(MOST_BYTES).with_trips(MOST_TRIPS);
    let model = Model::from_file_within(folder.join(file), limits).map_err(|error| error.to_string())?;
    let _recorded = Program::record(&model).map_err(|error| error.to_string())?;
    let graph = Graph::new(model).map_err(|error| error.to_string())?;
    let stem = file.trim_end_matches(".onnx");
    let mut inputs: Vec<RunValue<NdArray>> = Vec::new();
    for (place, info) in graph.inputs().enumerate() {
        let name = format!("{stem}-input_{place}.pb");
        let bytes = std::fs::read(folder.join(&name)).map_err(|error| format!("{name}: {error}"))?;
        inputs.push(read_value(bytes, &info.value_type)?);
    }
    let scope = MemoryScope::new(Arc::new(Budget::default()));
    let outputs = scope.run(|| graph.run::<NdArray>(inputs, &Default::default()));
    outputs.map(drop).map_err(|error| error.to_string())
}

fn convnet(folder: &Path) -> Result<(), String> {
    run(folder, "convnet.onnx")
}

fn control(folder: &Path) -> Result<(), String> {
    run(folder, "control.onnx")
}

fn encoder(folder: &Path) -> Result<(), String> {
    run(folder, "encoder.onnx")
}

fn shapes(folder: &Path) -> Result<(), String> {
    run(folder, "shapes.onnx")
}

fn lstm(folder: &Path) -> Result<(), String> {
    run(folder, "lstm_bidirectional.onnx")
}

fn external(folder: &Path) -> Result<(), String> {
    run(folder, "external.onnx")
}

fn message(fields: &[(u8, &[u8])]) -> Vec<u8> {
    let one = |(field, content): &(u8, &[u8])| {
        assert!(content.len() < 128, "one byte says how long it is");
        [&[field << 3 | 2, content.len() as u8][..], content].concat()
    };
    fields.iter().flat_map(one).collect()
}

/// `y = -w`, where the elements of `w` are in the file `external.bin`.
fn external_model() -> Vec<u8> {
    let entry = |key: &str, value: &str| message(&[(1, key.as_bytes()), (2, value.as_bytes())]);
    let entries = [entry("location", "external.bin"), entry("offset", "4"), entry("length", "8")];
    let data = message(&[(8, b"w"), (13, &entries[0]), (13, &entries[1]), (13, &entries[2])]);
    // Its dimension, its type, and that its elements are elsewhere.
    let tensor = [&[1_u8 << 3, 2, 2 << 3, 1][..], &data[..], &[14 << 3, 1][..]].concat();
    let node = message(&[(1, b"w"), (2, b"y"), (3, b"negated"), (4, b"Neg")]);
    let graph = message(&[(1, &node), (5, &tensor), (12, &message(&[(1, b"y")]))]);
    let opset = [message(&[(1, b"")]), vec![2 << 3, 17]].concat();
    message(&[(8, &opset), (7, &graph)])
}

pub fn targets(folder: &Path) -> Vec<Target> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../burn-onnx/tests");
    let copy = |place: &str, file: &str| {
        let stem = file.trim_end_matches(".onnx");
        let from = fixtures.join(place).join(stem);
        std::fs::copy(from.join("model.onnx"), folder.join(file)).expect("the folder can be written");
        for input in 0.. {
            let name = format!("input_{input}.pb");
            if !from.join(&name).exists() {
                break;
            }
            let to = folder.join(format!("{stem}-{name}"));
            std::fs::copy(from.join(&name), to).expect("the folder can be written");
        }
    };
    copy("models", "control.onnx");
    copy("models", "convnet.onnx");
    copy("models", "encoder.onnx");
    copy("models", "shapes.onnx");
    copy("operators", "lstm_bidirectional.onnx");
    std::fs::write(folder.join("external.onnx"), external_model()).expect("the folder can be written");
    let numbers: Vec<u8> = [0.5_f32, 1.5, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(folder.join("external.bin"), numbers).expect("the folder can be written");
    let target = |name, file, load| Target::of_file(folder, name, file, None, load);
    vec![
        target("onnx-convnet", "convnet.onnx", convnet as fn(&Path) -> _),
        target("onnx-control", "control.onnx", control),
        target("onnx-encoder", "encoder.onnx", encoder),
        target("onnx-shapes", "shapes.onnx", shapes),
        target("onnx-recurrent", "lstm_bidirectional.onnx", lstm),
        target("onnx-input", "encoder-input_0.pb", encoder),
        target("onnx-external", "external.onnx", external),
        target("onnx-external-data", "external.bin", external),
    ]
}
