//! Named MessagePack (the format of <https://msgpack.org>).

use super::Node;
use super::node::{MAX_DEPTH, too_deep};
use rmp_serde::decode::Error;
use rmp_serde::{Deserializer, Serializer};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::string::{String, ToString};

/// Writes a whole file.
pub fn encode(tree: &Node, out: &mut dyn Write) -> io::Result<()> {
    tree.serialize(&mut Serializer::new(out)).map_err(io::Error::other)
}

/// The tree of a whole file.
pub fn decode(bytes: &[u8]) -> Result<Node, String> {
    let mut source = Deserializer::from_read_ref(bytes);
    // The library refuses the depth that it is given, and allows one less.
    source.set_max_depth(MAX_DEPTH + 1);
    let tree = Node::deserialize(&mut source).map_err(cause)?;
    // At the end, there is not even the first byte of another value.
    match <()>::deserialize(&mut source) {
        Err(Error::InvalidMarkerRead(_)) => Ok(tree),
        _ => Err("bytes follow the end of the record".to_string()),
    }
}

fn cause(error: Error) -> String {
    match error {
        Error::InvalidMarkerRead(_) | Error::InvalidDataRead(_) => {
            "truncated: the file ends in a value".to_string()
        }
        Error::DepthLimitExceeded => too_deep(),
        other => other.to_string(),
    }
}

/// Whether all lengths fit the format, which has 32 bits for them.
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
        Node::Null | Node::Bool(_) | Node::Int(_) | Node::UInt(_) | Node::Float(_) => Ok(()),
    }
}
