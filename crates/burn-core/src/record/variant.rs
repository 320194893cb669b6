//! Enums as nodes: one key, the name of the variant.

use super::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch};
use crate::tensor::Backend;
use alloc::format;
use alloc::string::{String, ToString};

pub fn write_variant<R: IntoNode>(name: &str, content: R) -> Node {
    Node::Map([(name.to_string(), content.into_node())].into())
}

/// Reader that finds the variant of an enum.
///
/// A tree without the name of a variant, as other programs write it, is the first variant whose content it
/// fits.
#[derive(Debug)]
pub struct VariantReader<'a> {
    name: Option<String>,
    content: Node,
    at: &'a KeyPath<'a>,
    known: &'a [&'a str],
}

impl<'a> VariantReader<'a> {
    pub fn new(node: Node, at: &'a KeyPath<'a>, known: &'a [&'a str]) -> Result<Self, RecordError> {
        match node {
            Node::Null => Err(RecordMismatch::missing(at)),
            Node::Map(mut fields) if fields.len() == 1 && known.contains(&fields[0].0.as_str()) => {
                let (name, content) = fields.remove(0);
                Ok(VariantReader { name: Some(name), content, at, known })
            }
            // A variant without content may stand alone.
            Node::Text(name) if known.contains(&name.as_str()) => {
                Ok(VariantReader { name: Some(name), content: Node::Null, at, known })
            }
            Node::Weights(weights) => {
                let keys = weights.keys();
                let name = keys
                    .first()
                    .filter(|key| keys.len() == 1 && known.contains(*key))
                    .map(ToString::to_string);
                let content = name.as_ref().map_or_else(|| weights.clone(), |name| weights.child(name));
                Ok(VariantReader { name, content: Node::Weights(content), at, known })
            }
            content => Ok(VariantReader { name: None, content, at, known }),
        }
    }

    /// Reads the content, if this is the variant `name`.
    pub fn read<B: Backend, R: Record<B>>(
        &self,
        name: &str,
        device: &B::Device,
    ) -> Result<Option<R>, RecordError> {
        match &self.name {
            Some(found) if found == name => {
                R::from_node(self.content.clone(), &self.at.key(name), device).map(Some)
            }
            Some(_) => Ok(None),
            None => Ok(self.attempt(device)),
        }
    }

    /// Reads the content, if it fits. Weights taken by a failed attempt are put back for the next one.
    fn attempt<B: Backend, R: Record<B>>(&self, device: &B::Device) -> Option<R> {
        let mark = match &self.content {
            Node::Weights(weights) => Some((weights, weights.mark())),
            _ => None,
        };
        let record = R::from_node(self.content.clone(), self.at, device).ok();
        if let (None, Some((weights, mark))) = (&record, mark) {
            weights.rewind(mark);
        }
        record
    }

    pub fn no_match(&self) -> RecordError {
        RecordMismatch::value(self.at, format!("fits none of the variants {}", self.known.join(", ")))
    }
}
