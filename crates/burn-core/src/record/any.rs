use super::{IntoNode, KeyPath, Node, RecordError};
use crate::tensor::Backend;

/// A value that recorders save and load. Made by `#[derive(Record)]`, or by `#[derive(Module)]` for what a
/// module saves.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::record::{IntoNode, KeyPath, Node, Record};
///
/// #[derive(Record, Debug, PartialEq)]
/// struct Progress {
///     epoch: usize,
///     best: Option<f64>,
/// }
///
/// let node = Progress { epoch: 3, best: None }.into_node();
/// assert_eq!(node, Node::Map(vec![("epoch".into(), Node::UInt(3))]));
///
/// let back = <Progress as Record<NdArray>>::from_node(node, &KeyPath::ROOT, &Default::default());
/// assert_eq!(back, Ok(Progress { epoch: 3, best: None }));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a record",
    note = "add `#[derive(Record)]`; records are made of records, tensors, numbers, texts, options and lists"
)]
pub trait Record<B: Backend>: IntoNode + Send + Sized {
    /// Reads a value from a node. A missing value is [`Node::Null`].
    ///
    /// # Errors
    /// The tree is not one of this type; the error has every difference with its path.
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError>;
}
