//! Named MessagePack (the format of <https://msgpack.org>).

use super::Node;
use super::blocks::BlockWriter;
use super::budget::Budget;
use super::node::{MAX_DEPTH, too_deep};
use super::node_serde::Tree;
use rmp_serde::decode::Error;
use rmp_serde::{Deserializer, Serializer};
use serde::Serialize;
use serde::de::DeserializeSeed;
use std::format;
use std::io::{self, ErrorKind, Read, Write};
use std::string::{String, ToString};

/// A map of few fields is one byte with their number.
const SHORT_MAP: u8 = 0x80;

/// Writes a whole file.
pub fn encode(tree: &Node, out: &mut dyn Write) -> io::Result<()> {
    tree.serialize(&mut Serializer::new(out)).map_err(io::Error::other)
}

/// Writes a whole file: the fields of a tree, and after them the checksums of its blocks.
pub fn encode_with_blocks(fields: &[(String, Node)], out: &mut dyn Write) -> io::Result<()> {
    let mut out = BlockWriter::new(out);
    out.write_all(&[SHORT_MAP + fields.len() as u8 + 1])?;
    for (key, value) in fields {
        key.serialize(&mut Serializer::new(&mut out)).map_err(io::Error::other)?;
        encode(value, &mut out)?;
    }
    out.finish()
}

/// Decodes the tree of a whole file.
pub fn decode(source: &mut dyn Read) -> Result<Node, String> {
    let mut source = Deserializer::new(source);
    // The library refuses the depth that it is given, and allows one less.
    source.set_max_depth(MAX_DEPTH + 1);
    let tree = Tree(&Budget::new()).deserialize(&mut source).map_err(cause)?;
    match source.get_mut().read(&mut [0]) {
        Ok(0) => Ok(tree),
        Ok(_) => Err("bytes follow the end of the record".to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn cause(error: Error) -> String {
    match error {
        Error::InvalidMarkerRead(error) | Error::InvalidDataRead(error) => match error.kind() {
            ErrorKind::UnexpectedEof => "truncated: the file ends in a value".to_string(),
            _ => error.to_string(),
        },
        Error::DepthLimitExceeded => too_deep(),
        Error::Syntax(cause) | Error::Uncategorized(cause) => cause,
        other => format!("no MessagePack of a record: {other}"),
    }
}

/// Checks that all lengths fit the format, which has 32 bits for them.
pub fn check(tree: &Node) -> Result<(), String> {
    let fits = |length: usize| match u32::try_from(length) {
        Ok(_) => Ok(()),
        Err(_) => {
            Err("a value is larger than the 4 GiB that MessagePack allows: use the binary format".to_string())
        }
    };
    match tree {
        Node::Text(text) => fits(text.len()),
        Node::Bytes(bytes) => fits(bytes.len()),
        Node::Tensor(data) => fits(data.as_bytes().len()),
        Node::List(items) => fits(items.len()).and_then(|()| items.iter().try_for_each(check)),
        Node::Map(fields) => {
            fits(fields.len()).and_then(|()| fields.iter().try_for_each(|(_, node)| check(node)))
        }
        Node::Weights(_) => unreachable!("refused by the budget"),
        Node::Null | Node::Bool(_) | Node::Int(_) | Node::UInt(_) | Node::Float(_) => Ok(()),
    }
}
