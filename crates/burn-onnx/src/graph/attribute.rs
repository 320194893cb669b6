use super::{Constant, GraphDefinition};
use std::sync::Arc;

/// A value of an attribute of a node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Attribute {
    /// A number with a fraction.
    Float(f32),
    /// An integer.
    Int(i64),
    /// A text, mostly the name of a mode.
    Text(String),
    /// A constant tensor.
    Tensor(Constant),
    /// A graph, such as a branch of `If`.
    Graph(Arc<GraphDefinition>),
    /// Numbers with fractions.
    Floats(Vec<f32>),
    /// Integers.
    Ints(Vec<i64>),
    /// Texts.
    Texts(Vec<String>),
    /// The attribute of this name of the function that the node is in.
    Reference(String),
    /// An attribute of another sort, by its name in the format; no supported operator has one.
    Other(&'static str),
}
