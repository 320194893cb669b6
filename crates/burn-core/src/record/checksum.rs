//! The checksum of a tree.
//!
//! Named formats stay readable, so it follows from the tree alone: neither from the format, nor from the
//! binary layout, which changes. It is the CRC-32 of
//!
//! ```text
//! tree   = 0 | 1 | 2                  nothing, false, true
//!        | 3 varint | 4 varint        number, -1 - number
//!        | 5 f64
//!        | 6 text | 7 length bytes
//!        | 8 text shape bytes         dtype, sizes as length and varints, elements
//!        | 9 length tree*  | 10 length (text tree)*
//! text   = length bytes               UTF-8; lengths are varints (LEB128), numbers little-endian
//! ```

use super::Node;
use crc32fast::Hasher;

/// Computes the checksum of a tree; equal for equal trees in any format.
pub fn checksum(tree: &Node) -> u32 {
    let mut hasher = Hasher::new();
    node(tree, &mut hasher);
    hasher.finalize()
}

fn node(tree: &Node, hasher: &mut Hasher) {
    match tree {
        Node::Null => hasher.update(&[0]),
        Node::Bool(value) => hasher.update(&[1 + u8::from(*value)]),
        Node::Int(number) if *number < 0 => tagged(4, !number.cast_unsigned(), hasher),
        Node::Int(number) => tagged(3, number.cast_unsigned(), hasher),
        Node::UInt(number) => tagged(3, *number, hasher),
        Node::Float(number) => {
            hasher.update(&[5]);
            hasher.update(&number.to_le_bytes());
        }
        Node::Text(text) => {
            hasher.update(&[6]);
            sized(text.as_bytes(), hasher);
        }
        Node::Bytes(bytes) => {
            hasher.update(&[7]);
            sized(bytes, hasher);
        }
        Node::Tensor(data) => {
            hasher.update(&[8]);
            sized(data.dtype.name().as_bytes(), hasher);
            varint(data.shape.rank() as u64, hasher);
            data.shape.iter().for_each(|&size| varint(size as u64, hasher));
            sized(data.as_bytes(), hasher);
        }
        Node::List(items) => {
            tagged(9, items.len() as u64, hasher);
            items.iter().for_each(|item| node(item, hasher));
        }
        // Refused by the budget, which looks at the tree later.
        Node::Weights(_) => {}
        Node::Map(fields) => {
            tagged(10, fields.len() as u64, hasher);
            for (key, value) in fields {
                sized(key.as_bytes(), hasher);
                node(value, hasher);
            }
        }
    }
}

fn tagged(tag: u8, number: u64, hasher: &mut Hasher) {
    hasher.update(&[tag]);
    varint(number, hasher);
}

fn sized(bytes: &[u8], hasher: &mut Hasher) {
    varint(bytes.len() as u64, hasher);
    hasher.update(bytes);
}

fn varint(mut number: u64, hasher: &mut Hasher) {
    while number >= 0x80 {
        hasher.update(&[number as u8 | 0x80]);
        number >>= 7;
    }
    hasher.update(&[number as u8]);
}
