use super::{KeyPath, RecordError, RecordMismatch};
use crate::tensor::TensorData;
use crate::weights::Weights;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Maximum depth of a tree. A deeper file is damaged, or meant to exhaust the stack.
pub(crate) const MAX_DEPTH: usize = 128;

pub(crate) fn too_deep() -> String {
    format!("the record is nested more than {MAX_DEPTH} levels deep")
}

/// Tree of a value to be saved, the only type that recorders handle.
///
/// Modules, optimizers and everything else turn into this with [`Record`](super::Record), so that the formats
/// are compiled once and not for every model.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Node {
    /// Null, for instance a missing option. Fields with this value are not written.
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Tensor(TensorData),
    List(Vec<Node>),
    /// Fields by name, in the order in which they are declared.
    Map(Vec<(String, Node)>),
    /// Tensors of a file that are read when a record takes them. Such a tree is loaded from, and never saved.
    Weights(Weights),
}

impl Node {
    /// Returns the kind of the value for messages: `"a text"`.
    pub fn kind(&self) -> &'static str {
        match self {
            Node::Null => "nothing",
            Node::Bool(_) => "a boolean",
            Node::Int(_) | Node::UInt(_) => "an integer",
            Node::Float(_) => "a number",
            Node::Text(_) => "a text",
            Node::Bytes(_) => "bytes",
            Node::Tensor(_) => "a tensor",
            Node::List(_) => "a list",
            Node::Map(_) => "fields",
            Node::Weights(_) => "tensors of a file",
        }
    }

    /// Returns the field `name` of a [`Node::Map`].
    pub fn get(&self, name: &str) -> Option<&Node> {
        match self {
            Node::Map(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, node)| node),
            _ => None,
        }
    }
}

impl RecordMismatch {
    /// Creates the error for a value of another type; null counts as missing.
    pub fn kind(at: &KeyPath<'_>, expected: &str, found: &Node) -> RecordError {
        match found {
            Node::Null => Self::missing(at),
            _ => Self::value(at, format!("expected {expected}, found {}", found.kind())),
        }
    }
}
