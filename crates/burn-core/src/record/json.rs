//! JSON, with tensors as readable values.
//!
//! A tensor is `{"$tensor": dtype, "shape": [..], "values": [..]}`. Numbers have the digits that give them back
//! exactly. What JSON has no number for is a text: `"inf"`, `"-inf"`, and `"NaN(7fc00000)"` with the bits.

use super::Node;
use super::bytes::Sink;
use super::json_tensor;
use super::named;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Formatter;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The text of a whole file, on several lines if `pretty`.
pub fn encode(tree: &Node, pretty: bool, sink: &mut dyn Sink) {
    Writer { sink, pretty }.node(tree, 0);
    if pretty {
        sink.put(b"\n");
    }
}

struct Writer<'a> {
    sink: &'a mut dyn Sink,
    pretty: bool,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node, depth: usize) {
        match node {
            Node::Null => self.put("null"),
            Node::Bool(value) => self.put(if *value { "true" } else { "false" }),
            Node::Int(number) => self.put(&number.to_string()),
            Node::UInt(number) => self.put(&number.to_string()),
            Node::Float(number) if number.is_finite() => self.put(&format!("{number:?}")),
            Node::Float(number) => self.put(&format!("{{\"{}\": \"{:x}\"}}", named::FLOAT, number.to_bits())),
            Node::Text(text) => self.text(text),
            Node::Bytes(bytes) => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                self.put(&format!("{{\"{}\": \"{hex}\"}}", named::HEX));
            }
            Node::Tensor(data) => json_tensor::write(data, self.sink),
            Node::List(items) => {
                let each = |writer: &mut Self, item: &Node| writer.node(item, depth + 1);
                self.block(["[", "]"], items, depth, each);
            }
            Node::Map(fields) => {
                let each = |writer: &mut Self, (key, node): &(String, Node)| {
                    writer.text(&named::escape(key));
                    writer.put(": ");
                    writer.node(node, depth + 1);
                };
                self.block(["{", "}"], fields, depth, each);
            }
        }
    }

    fn block<T>(&mut self, ends: [&str; 2], items: &[T], depth: usize, each: impl Fn(&mut Self, &T)) {
        self.put(ends[0]);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.put(if self.pretty { "," } else { ", " });
            }
            self.line(depth + 1);
            each(self, item);
        }
        if !items.is_empty() {
            self.line(depth);
        }
        self.put(ends[1]);
    }

    fn line(&mut self, depth: usize) {
        if self.pretty {
            self.put("\n");
            (0..depth).for_each(|_| self.put("  "));
        }
    }

    fn text(&mut self, text: &str) {
        self.put(&serde_json::Value::from(text).to_string());
    }

    fn put(&mut self, text: &str) {
        self.sink.put(text.as_bytes());
    }
}

/// The tree of a whole file.
pub fn decode(bytes: &[u8]) -> Result<Node, String> {
    serde_json::from_slice::<Read>(bytes).map(|read| read.0).map_err(|error| error.to_string())
}

/// A tree as JSON describes it.
struct Read(Node);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree).map(Read)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Node;

    fn expecting(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Int(number))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::UInt(number))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Float(number))
    }
    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_string()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(Read(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some((key, Read(node))) = entries.next_entry::<String, Read>()? {
            fields.push((key, node));
        }
        named::restore(fields).map_err(A::Error::custom)
    }
}
