use crate::fixture::*;
use burn_core::record::{CompactRecorder, Node, Recorder};
use burn_core::tensor::DType;
use burn_optim::SgdConfig;
use std::path::Path;

/// The element types of the tensors in a saved model.
fn dtypes(folder: &Path) -> Vec<DType> {
    fn add(node: &Node, found: &mut Vec<DType>) {
        match node {
            Node::Tensor(data) => found.push(data.dtype),
            Node::Map(fields) => fields.iter().for_each(|(_, value)| add(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    let saved = folder.join("checkpoint/model-1");
    add(&Recorder::<B>::load_node(&CompactRecorder::new(), saved).unwrap(), &mut found);
    found
}

fn saved_by(change: impl FnOnce(Builder) -> Builder) -> Vec<DType> {
    let folder = tempfile::tempdir().unwrap();
    let learner = change(builder(folder.path())).build(Model::new(4), SgdConfig::new().init(), 0.1);
    learner.fit(train_loader(), valid_loader());
    dtypes(folder.path())
}

#[test]
fn checkpoints_are_rounded_only_where_that_is_asked_for() {
    let exact = saved_by(|builder| builder.with_file_checkpointer(CompactRecorder::new()));
    assert_eq!(exact, [DType::F32; 4]);
    let rounded = saved_by(|builder| builder.with_rounding_file_checkpointer(CompactRecorder::new()));
    assert_eq!(rounded, [DType::F16; 4]);
}
