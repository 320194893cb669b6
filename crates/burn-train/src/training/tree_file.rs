use crate::checkpoint::TreeFile;
use burn_core::record::{FileRecorder, IntoNode, KeyPath, Node, Record, RecordError};
use burn_core::tensor::Backend;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

/// The recorder `R`.
pub(super) struct Recorded<B, R> {
    recorder: R,
    /// Whether tensors are saved in the precision of the recorder, and not in their own.
    rounds: bool,
    backend: PhantomData<fn(B)>,
}

/// A record that is its own tree.
struct Tree(Node);

impl IntoNode for Tree {
    fn into_node(self) -> Node {
        self.0
    }
}

impl<B: Backend> Record<B> for Tree {
    fn from_node(node: Node, _at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        Ok(Self(node))
    }
}

impl<B: Backend, R: FileRecorder<B>> Recorded<B, R> {
    /// Saves every bit of tensors.
    pub(super) fn exact(recorder: R) -> Self {
        Self { recorder, rounds: false, backend: PhantomData }
    }

    /// Saves tensors in the precision of the recorder.
    pub(super) fn rounding(recorder: R) -> Self {
        Self { recorder, rounds: true, backend: PhantomData }
    }
}

impl<B: Backend, R: FileRecorder<B>> TreeFile for Recorded<B, R> {
    fn save(&self, tree: Node, path: PathBuf) -> Result<(), RecordError> {
        if self.rounds { self.recorder.record(Tree(tree), path) } else { self.recorder.save_node(tree, path) }
    }

    fn load(&self, path: PathBuf) -> Result<Node, RecordError> {
        self.recorder.load_node(path)
    }
}

impl<B, R: fmt::Debug> fmt::Debug for Recorded<B, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.recorder.fmt(f)
    }
}
