//! Exported models run by their recordings, and not node by node.

use super::graph::Graph;
use super::{RunValue, read_value};
use burn_backend::{Backend, TensorData, block_on};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use std::collections::BTreeSet;
use std::path::Path;

fn inputs<B: Backend>(graph: &Graph, folder: &Path) -> Vec<RunValue<B>> {
    let read = |(place, info): (usize, &crate::graph::ValueInfo)| -> RunValue<B> {
        let file = folder.join(format!("test_data_set_0/input_{place}.pb"));
        read_value(std::fs::read(file).unwrap(), &info.value_type).unwrap()
    };
    graph.inputs().enumerate().map(read).collect()
}

fn check<B: Backend>(folder: &Path) {
    let graph = Graph::load(folder.join("model.onnx")).unwrap();
    let inputs = inputs::<B>(&graph, folder);
    assert!(graph.runs_recorded::<B>(inputs, &B::Device::default()), "{}", folder.display());
}

fn run<B: Backend>(graph: &Graph, inputs: Vec<RunValue<B>>) -> Vec<TensorData> {
    let outputs = graph.run::<B>(inputs, &B::Device::default()).unwrap();
    let data = |output| match output {
        RunValue::Tensor(x) => block_on(B::into_data(x)).unwrap().unwrap(),
        other => panic!("a tensor, not {other:?}"),
    };
    outputs.into_iter().map(data).collect()
}

/// Runs a model by its statements, then with notes, then by its tape: whether there is one.
fn is_repeated<B: Backend>(folder: &Path) -> bool {
    let graph = Graph::load(folder.join("model.onnx")).unwrap();
    let inputs = inputs::<B>(&graph, folder);
    let first = run::<B>(&graph, inputs.clone());
    for _ in 0..3 {
        // A call writes over no tensor that is needed again.
        assert!(run::<B>(&graph, inputs.clone()) == first, "{}", folder.display());
    }
    graph.tapes() == 1
}

#[test]
fn exported_models_run_by_their_recordings() {
    for exporter in ["torchscript", "dynamo"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports").join(exporter);
        for entry in std::fs::read_dir(folder).unwrap() {
            let folder = entry.unwrap().path();
            check::<NdArray>(&folder);
            check::<Fusion<NdArray>>(&folder);
        }
    }
}

#[test]
fn runs_with_inputs_of_the_same_shapes_repeat_operations() {
    let mut others = BTreeSet::new();
    for exporter in ["torchscript", "dynamo"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports").join(exporter);
        for entry in std::fs::read_dir(folder).unwrap() {
            let folder = entry.unwrap().path();
            let repeated = [is_repeated::<NdArray>(&folder), is_repeated::<Fusion<NdArray>>(&folder)];
            if repeated != [true; 2] {
                others.insert(folder.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    assert_eq!(others, BTreeSet::new());
}
