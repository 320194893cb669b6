//! Records and trees read from weights.

use super::Weights;
use crate::record::{IntoNode, KeyPath, MAX_DEPTH, Node, Record, RecordError, RecordMismatch, too_deep};
use crate::tensor::Backend;
use alloc::vec::Vec;

impl Weights {
    /// Loads a record from these weights.
    ///
    /// # Errors
    /// Parameters are missing or of another rank or type; the error lists them by path.
    pub fn load_record<B: Backend, R: Record<B>>(&self, device: &B::Device) -> Result<R, RecordError> {
        R::from_node(Node::Weights(self.clone()), &KeyPath::ROOT, device)
            .map_err(|error| error.in_file(self.source_name()))
    }

    /// Reads all tensors as a tree under the names of the source. Keys that are 0, 1, .. make a list.
    ///
    /// # Errors
    /// The bytes of a tensor are damaged or cannot be read.
    pub fn read_all(&self) -> Result<Node, RecordError> {
        self.read_below(0).map_err(|error| error.in_file(self.source_name()))
    }

    fn read_below(&self, depth: usize) -> Result<Node, RecordError> {
        if depth > MAX_DEPTH {
            return Err(RecordMismatch::value(&KeyPath::ROOT, too_deep()));
        }
        if let Some(tensor) = self.leaf() {
            return self.read_tensor(tensor).map(IntoNode::into_node);
        }
        let children = self.children();
        let mut indices: Vec<usize> = children.iter().filter_map(|(key, _)| key.parse().ok()).collect();
        indices.sort_unstable();
        if !children.is_empty() && indices.into_iter().eq(0..children.len()) {
            let items: Result<_, _> = self.items().iter().map(|item| item.read_below(depth + 1)).collect();
            return items.map(Node::List);
        }
        let fields = children.into_iter().map(|(key, child)| Ok((key, child.read_below(depth + 1)?)));
        fields.collect::<Result<_, RecordError>>().map(Node::Map)
    }
}
