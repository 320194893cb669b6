//! Named MessagePack (the format of <https://msgpack.org>), read and written for trees.
//!
//! A tensor is a map of `$tensor` (the dtype), `shape` and `bytes` (little-endian). Keys of other maps that begin with
//! `$` get one more.

use super::Node;
use super::bytes::{MAX_DEPTH, Sink, Source, too_deep};
use super::named;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The bytes of a whole file.
pub fn encode(tree: &Node, sink: &mut dyn Sink) {
    match tree {
        Node::Null => sink.put(&[0xc0]),
        Node::Bool(value) => sink.put(&[0xc2 | u8::from(*value)]),
        Node::Int(number) if *number < 0 => write_negative(*number, sink),
        Node::Int(number) => write_number(number.cast_unsigned(), sink),
        Node::UInt(number) => write_number(*number, sink),
        Node::Float(number) => {
            sink.put(&[0xcb]);
            sink.put(&number.to_be_bytes());
        }
        Node::Text(text) => write_text(text, sink),
        Node::Bytes(bytes) => write_bytes(bytes, sink),
        Node::Tensor(data) => {
            sink.put(&[0x83]);
            write_text(named::TENSOR, sink);
            write_text(data.dtype.name(), sink);
            write_text(named::SHAPE, sink);
            write_head(data.shape.rank(), 0x90, [0, 0xdc, 0xdd], sink);
            data.shape.iter().for_each(|&size| write_number(size as u64, sink));
            write_text(named::BYTES, sink);
            write_bytes(data.as_bytes(), sink);
        }
        Node::List(items) => {
            write_head(items.len(), 0x90, [0, 0xdc, 0xdd], sink);
            items.iter().for_each(|item| encode(item, sink));
        }
        Node::Map(fields) => {
            write_head(fields.len(), 0x80, [0, 0xde, 0xdf], sink);
            for (key, node) in fields {
                write_text(&named::escape(key), sink);
                encode(node, sink);
            }
        }
    }
}

fn write_number(number: u64, sink: &mut dyn Sink) {
    match number {
        0..0x80 => sink.put(&[number as u8]),
        0x80..0x100 => sink.put(&[0xcc, number as u8]),
        0x100..0x1_0000 => put(0xcd, &(number as u16).to_be_bytes(), sink),
        0x1_0000..0x1_0000_0000 => put(0xce, &(number as u32).to_be_bytes(), sink),
        _ => put(0xcf, &number.to_be_bytes(), sink),
    }
}

fn write_negative(number: i64, sink: &mut dyn Sink) {
    if number >= -32 {
        sink.put(&[number as u8]);
    } else if let Ok(number) = i8::try_from(number) {
        put(0xd0, &number.to_be_bytes(), sink);
    } else if let Ok(number) = i16::try_from(number) {
        put(0xd1, &number.to_be_bytes(), sink);
    } else if let Ok(number) = i32::try_from(number) {
        put(0xd2, &number.to_be_bytes(), sink);
    } else {
        put(0xd3, &number.to_be_bytes(), sink);
    }
}

fn put(tag: u8, bytes: &[u8], sink: &mut dyn Sink) {
    sink.put(&[tag]);
    sink.put(bytes);
}

fn write_text(text: &str, sink: &mut dyn Sink) {
    match text.len() {
        short @ 0..32 => sink.put(&[0xa0 | short as u8]),
        length => write_length(length, [0xd9, 0xda, 0xdb], sink),
    }
    sink.put(text.as_bytes());
}

fn write_bytes(bytes: &[u8], sink: &mut dyn Sink) {
    write_length(bytes.len(), [0xc4, 0xc5, 0xc6], sink);
    sink.put(bytes);
}

/// The head of a list or map: the length in the tag if it is below 16.
fn write_head(length: usize, short: u8, tags: [u8; 3], sink: &mut dyn Sink) {
    match length {
        0..16 => sink.put(&[short | length as u8]),
        16..0x1_0000 => put(tags[1], &(length as u16).to_be_bytes(), sink),
        _ => write_length(length, tags, sink),
    }
}

/// A length behind one of three tags for 8, 16 and 32 bits.
fn write_length(length: usize, tags: [u8; 3], sink: &mut dyn Sink) {
    match length {
        0..0x100 => sink.put(&[tags[0], length as u8]),
        0x100..0x1_0000 => put(tags[1], &(length as u16).to_be_bytes(), sink),
        _ => {
            let length = u32::try_from(length).expect("checked by `check`");
            put(tags[2], &length.to_be_bytes(), sink);
        }
    }
}

/// The tree of a whole file.
pub fn decode(bytes: &[u8]) -> Result<Node, String> {
    let mut source = Source::new(bytes);
    let tree = read(&mut source, 0)?;
    source.finish().map(|()| tree)
}

fn read(source: &mut Source<'_>, depth: usize) -> Result<Node, String> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    Ok(match source.byte()? {
        small @ 0..0x80 => Node::UInt(small.into()),
        tag @ 0x80..0x90 => map(source, u64::from(tag & 0xf), depth)?,
        tag @ 0x90..0xa0 => list(source, u64::from(tag & 0xf), depth)?,
        tag @ 0xa0..0xc0 => Node::Text(source.text((tag & 0x1f).into())?),
        0xc0 => Node::Null,
        0xc2 => Node::Bool(false),
        0xc3 => Node::Bool(true),
        tag @ 0xc4..=0xc6 => {
            let length = number(source, 1 << (tag - 0xc4))?;
            let length = source.count(length)?;
            Node::Bytes(source.take(length)?.to_vec())
        }
        0xca => Node::Float(f32::from_be_bytes(source.array()?).into()),
        0xcb => Node::Float(f64::from_be_bytes(source.array()?)),
        tag @ 0xcc..=0xcf => Node::UInt(number(source, 1 << (tag - 0xcc))?),
        0xd0 => signed(i8::from_be_bytes(source.array()?).into()),
        0xd1 => signed(i16::from_be_bytes(source.array()?).into()),
        0xd2 => signed(i32::from_be_bytes(source.array()?).into()),
        0xd3 => signed(i64::from_be_bytes(source.array()?)),
        tag @ 0xd9..=0xdb => {
            let length = number(source, 1 << (tag - 0xd9))?;
            let length = source.count(length)?;
            Node::Text(source.text(length)?)
        }
        tag @ 0xdc..=0xdd => {
            let count = number(source, 2 << (tag - 0xdc))?;
            list(source, count, depth)?
        }
        tag @ 0xde..=0xdf => {
            let count = number(source, 2 << (tag - 0xde))?;
            map(source, count, depth)?
        }
        small @ 0xe0..=0xff => Node::Int(i64::from(small.cast_signed())),
        other => return Err(format!("no value begins with {other:#x}, at byte {}", source.position() - 1)),
    })
}

fn signed(number: i64) -> Node {
    u64::try_from(number).map_or(Node::Int(number), Node::UInt)
}

/// A big-endian number of `width` bytes.
fn number(source: &mut Source<'_>, width: usize) -> Result<u64, String> {
    Ok(source.take(width)?.iter().fold(0, |number, &byte| (number << 8) | u64::from(byte)))
}

fn list(source: &mut Source<'_>, count: u64, depth: usize) -> Result<Node, String> {
    let count = source.count(count)?;
    (0..count).map(|_| read(source, depth + 1)).collect::<Result<Vec<_>, _>>().map(Node::List)
}

fn map(source: &mut Source<'_>, count: u64, depth: usize) -> Result<Node, String> {
    let count = source.count(count)?;
    let mut fields = Vec::new();
    for _ in 0..count {
        let key = match read(source, depth + 1)? {
            Node::Text(key) => key,
            other => return Err(format!("a key is {}, at byte {}", other.kind(), source.position())),
        };
        fields.push((key, read(source, depth + 1)?));
    }
    named::restore(fields)
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
