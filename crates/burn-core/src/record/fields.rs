//! Structs as nodes.

use super::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch};
use crate::tensor::Backend;
use crate::weights::Weights;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Writer that collects the fields of a struct.
#[derive(Debug, Default)]
pub struct FieldWriter(Vec<(String, Node)>);

impl FieldWriter {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn write<R: IntoNode>(&mut self, name: &str, field: R) {
        self.add(name, field.into_node());
    }

    fn add(&mut self, name: &str, node: Node) {
        if node != Node::Null {
            self.0.push((name.to_string(), node));
        }
    }

    pub fn finish(self) -> Node {
        Node::Map(self.0)
    }
}

/// Source of the fields of a struct.
#[derive(Debug)]
enum Fields {
    Record(Vec<(String, Node)>),
    /// Tensors that no field took are reported as unexpected after loading.
    Weights(Weights),
}

/// Reader of the fields of a struct, which reports missing, invalid and unused ones.
#[derive(Debug)]
pub struct FieldReader<'a> {
    fields: Fields,
    at: &'a KeyPath<'a>,
    mismatch: RecordMismatch,
    other: Option<RecordError>,
}

impl<'a> FieldReader<'a> {
    /// Message for a field that is missing after [`finish`](Self::finish) succeeded, which cannot happen.
    pub const TAKE: &'static str = "a field that could not be read is an error of `finish`";

    pub fn new(node: Node, at: &'a KeyPath<'a>) -> Result<Self, RecordError> {
        let fields = match node {
            Node::Map(fields) => Fields::Record(fields),
            Node::Null => Fields::Record(Vec::new()),
            Node::Weights(weights) => Fields::Weights(weights),
            other => return Err(RecordMismatch::kind(at, "fields", &other)),
        };
        Ok(FieldReader { fields, at, mismatch: RecordMismatch::default(), other: None })
    }

    /// Reads the fields of a module whose type has the path `layer`; weights of other frameworks are
    /// translated for it.
    pub fn of_module(node: Node, at: &'a KeyPath<'a>, layer: &str) -> Result<Self, RecordError> {
        match node {
            Node::Weights(weights) => Self::new(Node::Weights(weights.at_layer(layer)), at),
            node => Self::new(node, at),
        }
    }

    /// Reads the field `name`; `None` if it cannot be read, which [`finish`](Self::finish) reports.
    pub fn read<B: Backend, R: Record<B>>(&mut self, name: &str, device: &B::Device) -> Option<R> {
        let node = self.take(name);
        match R::from_node(node, &self.at.key(name), device) {
            Ok(field) => Some(field),
            Err(error) => {
                self.add(error);
                None
            }
        }
    }

    /// Takes the node of the field `name`.
    pub fn take(&mut self, name: &str) -> Node {
        match &mut self.fields {
            Fields::Record(fields) => match fields.iter().position(|(key, _)| key == name) {
                Some(index) => fields.remove(index).1,
                None => Node::Null,
            },
            Fields::Weights(weights) => weights.below(name).map_or(Node::Null, Node::Weights),
        }
    }

    fn add(&mut self, error: RecordError) {
        match error {
            RecordError::Mismatch(mismatch) => self.mismatch.merge(*mismatch),
            other => self.other = Some(other),
        }
    }

    pub fn finish(mut self) -> Result<(), RecordError> {
        if let Fields::Record(fields) = &self.fields {
            let left = fields.iter().map(|(key, _)| self.at.key(key).to_string());
            self.mismatch.unexpected.extend(left);
        }
        match self.other {
            Some(error) => Err(error),
            None => self.mismatch.into_result(),
        }
    }
}
