//! JSON, with objects on several lines or all in one.

use super::Node;
use super::budget::Budget;
use super::node_serde::Tree;
use serde::Serialize;
use serde::de::DeserializeSeed;
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::{Deserializer, Serializer};
use std::io::{self, Read, Write};
use std::string::{String, ToString};

/// Writes a whole file.
pub fn encode(tree: &Node, pretty: bool, out: &mut dyn Write) -> io::Result<()> {
    if !pretty {
        return Ok(serde_json::to_writer(out, tree)?);
    }
    tree.serialize(&mut Serializer::with_formatter(&mut *out, Pretty::default()))?;
    out.write_all(b"\n")
}

/// Decodes the tree of a whole file.
pub fn decode(bytes: &[u8]) -> Result<Node, String> {
    read(Deserializer::from_slice(bytes))
}

/// Decodes the tree of a whole file from a stream.
pub fn decode_stream(source: &mut dyn Read) -> Result<Node, String> {
    read(Deserializer::from_reader(source))
}

fn read<'de, R: serde_json::de::Read<'de>>(mut source: Deserializer<R>) -> Result<Node, String> {
    let tree = Tree(&Budget::new()).deserialize(&mut source);
    tree.and_then(|tree| source.end().map(|()| tree)).map_err(|error| error.to_string())
}

/// Formatter that writes every field on a line of its own, and lists, such as the elements of a tensor, on
/// one.
#[derive(Default)]
struct Pretty(PrettyFormatter<'static>);

impl Formatter for Pretty {
    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }
    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }
    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }
    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }
    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }
    fn end_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}
