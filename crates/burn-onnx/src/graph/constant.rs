use burn_ir::TensorData;
use std::sync::Arc;

/// Values that are part of the model: an initializer, or the value of a `Constant` node.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Name of the initializer, or of the output of the node.
    pub name: String,
    /// The elements. Rank 0 is possible here.
    pub data: Arc<TensorData>,
}
