//! Exported models run by their recordings, and not node by node.

use super::graph::Graph;
use super::{RunValue, read_value};
use burn_backend::Backend;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use std::path::Path;

fn check<B: Backend>(folder: &Path) {
    let graph = Graph::load(folder.join("model.onnx")).unwrap();
    let read = |(place, info): (usize, &crate::graph::ValueInfo)| -> RunValue<B> {
        let file = folder.join(format!("test_data_set_0/input_{place}.pb"));
        read_value(std::fs::read(file).unwrap(), &info.value_type).unwrap()
    };
    let inputs = graph.inputs().enumerate().map(read).collect();
    assert!(graph.runs_recorded::<B>(inputs, &B::Device::default()), "{}", folder.display());
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
