//! The compact binary format.
//!
//! ```text
//! "BURNBIN" version:u8 tree checksum:u32
//! tree   = 0 | 1 | 2                  nothing, false, true
//!        | 3 varint | 4 varint        number, -1 - number
//!        | 5 f64
//!        | 6 text | 7 length bytes
//!        | 8 text shape bytes         dtype, sizes as length and varints, elements
//!        | 9 length tree*  | 10 length (text tree)*
//! text   = length bytes               UTF-8; lengths are varints (LEB128), numbers little-endian
//! ```

use super::Node;
use super::bytes::{MAX_DEPTH, Sink, Source, too_deep};
use super::envelope::dtype;
use crate::tensor::{Shape, TensorData};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub const MAGIC: &[u8] = b"BURNBIN";
const VERSION: u8 = 1;

/// The bytes of a whole file.
pub fn encode(tree: &Node, sink: &mut dyn Sink) {
    sink.put(MAGIC);
    sink.put(&[VERSION]);
    write(tree, sink);
    sink.put(&checksum(tree).to_le_bytes());
}

/// The tree of a whole file.
pub fn decode(bytes: &[u8]) -> Result<Node, String> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err("the file does not begin as a binary record does".to_string());
    };
    match rest {
        [VERSION, tree @ .., a, b, c, d] => {
            if crc32fast::hash(tree) != u32::from_le_bytes([*a, *b, *c, *d]) {
                return Err("the checksum is wrong: the record is truncated or damaged".to_string());
            }
            let mut source = Source::new(tree);
            let tree = read(&mut source, 0)?;
            source.finish().map(|()| tree)
        }
        [VERSION, ..] | [] => Err("truncated: the record ends in its head".to_string()),
        [version, ..] => Err(format!(
            "the binary layout is of version {version}, and this program reads version {VERSION}; named formats are \
             the ones to keep"
        )),
    }
}

/// CRC-32 of the encoded tree: the same for equal trees in whatever format.
pub fn checksum(tree: &Node) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    write(tree, &mut hasher);
    hasher.finalize()
}

fn write(node: &Node, sink: &mut dyn Sink) {
    match node {
        Node::Null => sink.put(&[0]),
        Node::Bool(value) => sink.put(&[1 + u8::from(*value)]),
        Node::Int(number) if *number < 0 => {
            sink.put(&[4]);
            write_varint(!number.cast_unsigned(), sink);
        }
        Node::Int(number) => write(&Node::UInt(number.cast_unsigned()), sink),
        Node::UInt(number) => {
            sink.put(&[3]);
            write_varint(*number, sink);
        }
        Node::Float(number) => {
            sink.put(&[5]);
            sink.put(&number.to_le_bytes());
        }
        Node::Text(text) => {
            sink.put(&[6]);
            write_bytes(text.as_bytes(), sink);
        }
        Node::Bytes(bytes) => {
            sink.put(&[7]);
            write_bytes(bytes, sink);
        }
        Node::Tensor(data) => {
            sink.put(&[8]);
            write_bytes(data.dtype.name().as_bytes(), sink);
            write_length(data.shape.rank(), sink);
            data.shape.iter().for_each(|&size| write_length(size, sink));
            write_bytes(data.as_bytes(), sink);
        }
        Node::List(items) => {
            sink.put(&[9]);
            write_length(items.len(), sink);
            items.iter().for_each(|item| write(item, sink));
        }
        Node::Map(fields) => {
            sink.put(&[10]);
            write_length(fields.len(), sink);
            for (key, node) in fields {
                write_bytes(key.as_bytes(), sink);
                write(node, sink);
            }
        }
    }
}

fn write_bytes(bytes: &[u8], sink: &mut dyn Sink) {
    write_length(bytes.len(), sink);
    sink.put(bytes);
}

fn write_length(length: usize, sink: &mut dyn Sink) {
    write_varint(length as u64, sink);
}

fn write_varint(mut number: u64, sink: &mut dyn Sink) {
    while number >= 0x80 {
        sink.put(&[number as u8 | 0x80]);
        number >>= 7;
    }
    sink.put(&[number as u8]);
}

fn read(source: &mut Source<'_>, depth: usize) -> Result<Node, String> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    Ok(match source.byte()? {
        0 => Node::Null,
        1 => Node::Bool(false),
        2 => Node::Bool(true),
        3 => Node::UInt(varint(source)?),
        4 => Node::Int(!i64::try_from(varint(source)?).map_err(|_| "a number is out of range".to_string())?),
        5 => Node::Float(f64::from_le_bytes(source.array()?)),
        6 => Node::Text(text(source)?),
        7 => Node::Bytes(length(source).and_then(|length| source.take(length))?.to_vec()),
        8 => tensor(source)?,
        9 => {
            let count = length(source)?;
            Node::List((0..count).map(|_| read(source, depth + 1)).collect::<Result<_, _>>()?)
        }
        10 => {
            let count = length(source)?;
            let field = |_| Ok::<_, String>((text(source)?, read(source, depth + 1)?));
            Node::Map((0..count).map(field).collect::<Result<_, _>>()?)
        }
        other => return Err(format!("no value begins with {other}, at byte {}", source.position() - 1)),
    })
}

fn tensor(source: &mut Source<'_>) -> Result<Node, String> {
    let dtype = dtype(&text(source)?)?;
    let rank = length(source)?;
    let sizes: Vec<usize> = (0..rank)
        .map(|_| varint(source).and_then(|size| usize::try_from(size).map_err(|error| error.to_string())))
        .collect::<Result<_, _>>()?;
    let bytes = length(source).and_then(|length| source.take(length))?;
    TensorData::from_bytes(bytes, Shape::from(sizes), dtype)
        .map(Node::Tensor)
        .map_err(|error| error.to_string())
}

fn text(source: &mut Source<'_>) -> Result<String, String> {
    length(source).and_then(|length| source.text(length))
}

fn length(source: &mut Source<'_>) -> Result<usize, String> {
    let length = varint(source)?;
    source.count(length)
}

fn varint(source: &mut Source<'_>) -> Result<u64, String> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = source.byte()?;
        let bits = u64::from(byte & 0x7f);
        if (bits << shift) >> shift != bits {
            break;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("a number has more than 64 bits".to_string())
}
