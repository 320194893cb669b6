//! Trees for formats that describe themselves.
//!
//! A tensor is a map of `$tensor` (the dtype), `shape`, and `bytes` (little-endian) or, where people read,
//! `values`. Keys of other maps that begin with `$` get one more.

use super::Node;
use super::budget::Budget;
use super::json_tensor::Values;
use super::named::{self, BYTES, FLOAT, HEX, SHAPE, TENSOR, VALUES};
use super::tensor_serde;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Formatter;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let readable = serializer.is_human_readable();
        match self {
            Node::Weights(_) => unreachable!("refused by the budget"),
            Node::Null => serializer.serialize_unit(),
            Node::Bool(value) => serializer.serialize_bool(*value),
            Node::Int(number) => serializer.serialize_i64(*number),
            Node::UInt(number) => serializer.serialize_u64(*number),
            Node::Float(number) if readable && !number.is_finite() => {
                serializer.collect_map([(FLOAT, format!("{:x}", number.to_bits()))])
            }
            Node::Float(number) => serializer.serialize_f64(*number),
            Node::Text(text) => serializer.serialize_str(text),
            Node::Bytes(bytes) if readable => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                serializer.collect_map([(HEX, hex)])
            }
            Node::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Node::Tensor(data) => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry(TENSOR, data.dtype.name())?;
                map.serialize_entry(SHAPE, &data.shape)?;
                if readable {
                    map.serialize_entry(VALUES, &Values(data))?;
                } else {
                    map.serialize_entry(BYTES, serde_bytes::Bytes::new(data.as_bytes()))?;
                }
                map.end()
            }
            Node::List(items) => serializer.collect_seq(items),
            Node::Map(fields) => {
                serializer.collect_map(fields.iter().map(|(key, node)| (named::escape(key), node)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Tree(&Budget::new()).deserialize(deserializer)
    }
}

/// Deserializer of a tree within a budget. Lists are allocated by the items present, not by the stated
/// length.
pub struct Tree<'a>(pub &'a Budget);

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str("a record")
    }
    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(u64::try_from(number).map_or(Node::Int(number), Node::UInt))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::UInt(number))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Float(number))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        self.0.allocation().map_err(E::custom)?;
        Ok(Node::Text(text.to_string()))
    }
    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Node, E> {
        self.0.allocation().map_err(E::custom)?;
        Ok(Node::Bytes(bytes.to_vec()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Tree(self.0))? {
            self.0.item(list.len()).map_err(A::Error::custom)?;
            list.push(item);
        }
        Ok(Node::List(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            if fields.is_empty() && key == TENSOR {
                return tensor_serde::read(entries, self.0).map(Node::Tensor);
            }
            self.0.field(fields.len(), &key).map_err(A::Error::custom)?;
            fields.push((key, entries.next_value_seed(Tree(self.0))?));
        }
        named::restore(fields).map_err(A::Error::custom)
    }
}
