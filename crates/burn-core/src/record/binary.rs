//! The compact binary format: `BURNBIN`, the version, the tree as bincode writes it, and its CRC-32, little-endian.
//!
//! bincode does not describe itself, so that a tree is a byte that says what follows. Nothing is allocated because a
//! length says so: texts and bytes are borrowed from the file, and every item of a list has at least one byte there.

use super::Node;
use super::envelope::dtype;
use super::node::{MAX_DEPTH, too_deep};
use crate::tensor::{Shape, TensorData};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use bincode::config::standard;
use bincode::de::{BorrowDecode, BorrowDecoder, Decode};
use bincode::enc::write::Writer;
use bincode::enc::{Encode, Encoder};
use bincode::error::{DecodeError, EncodeError};

pub const MAGIC: &[u8] = b"BURNBIN";
/// Version 1 was written by hand, before bincode.
const VERSION: u8 = 2;

/// Gives the bytes of a whole file to `put`, part by part.
pub fn encode(tree: &Node, put: &mut dyn FnMut(&[u8])) {
    put(MAGIC);
    put(&[VERSION]);
    let mut out = Hashing { put, checksum: crc32fast::Hasher::new() };
    bincode::encode_into_writer(Written(tree), &mut out, standard()).expect("`Hashing` never fails");
    let checksum = out.checksum.finalize();
    put(&checksum.to_le_bytes());
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
            let read = bincode::borrow_decode_from_slice_with_context(tree, standard(), MAX_DEPTH);
            let (Read(node), length) = read.map_err(cause)?;
            match tree.len() - length {
                0 => Ok(node),
                count => Err(format!("{count} bytes follow the end of the record")),
            }
        }
        [VERSION, ..] | [] => Err("truncated: the record ends in its head".to_string()),
        [version, ..] => Err(format!(
            "the binary layout is of version {version}, and this program reads version {VERSION}; named formats are \
             the ones to keep"
        )),
    }
}

fn cause(error: DecodeError) -> String {
    match error {
        DecodeError::OtherString(cause) => cause,
        DecodeError::UnexpectedEnd { additional } => {
            format!("truncated: {additional} more bytes were to follow")
        }
        other => other.to_string(),
    }
}

/// Takes the checksum of what passes.
struct Hashing<'a> {
    put: &'a mut dyn FnMut(&[u8]),
    checksum: crc32fast::Hasher,
}

impl Writer for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.checksum.update(bytes);
        (self.put)(bytes);
        Ok(())
    }
}

struct Written<'a>(&'a Node);

impl Encode for Written<'_> {
    fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        match self.0 {
            Node::Null => 0_u8.encode(encoder),
            Node::Bool(value) => (1 + u8::from(*value)).encode(encoder),
            Node::UInt(number) => (3_u8, *number).encode(encoder),
            Node::Int(number) => (4_u8, *number).encode(encoder),
            Node::Float(number) => (5_u8, *number).encode(encoder),
            Node::Text(text) => (6_u8, text.as_str()).encode(encoder),
            Node::Bytes(bytes) => (7_u8, bytes.as_slice()).encode(encoder),
            Node::Tensor(data) => (8_u8, data.dtype.name(), &data.shape[..], data.as_bytes()).encode(encoder),
            Node::List(items) => {
                (9_u8, items.len()).encode(encoder)?;
                items.iter().try_for_each(|item| Written(item).encode(encoder))
            }
            Node::Map(fields) => {
                (10_u8, fields.len()).encode(encoder)?;
                fields.iter().try_for_each(|(key, node)| (key.as_str(), Written(node)).encode(encoder))
            }
        }
    }
}

struct Read(Node);

/// The context is how many levels more there may be.
impl<'de> BorrowDecode<'de, usize> for Read {
    fn borrow_decode<D: BorrowDecoder<'de, Context = usize>>(decoder: &mut D) -> Result<Self, DecodeError> {
        let node = match u8::decode(decoder)? {
            0 => Node::Null,
            1 => Node::Bool(false),
            2 => Node::Bool(true),
            3 => Node::UInt(u64::decode(decoder)?),
            4 => Node::Int(i64::decode(decoder)?),
            5 => Node::Float(f64::decode(decoder)?),
            6 => Node::Text(text(decoder)?),
            7 => Node::Bytes(<&[u8]>::borrow_decode(decoder)?.to_vec()),
            8 => Node::Tensor(tensor(decoder)?),
            9 => Node::List(items(decoder, |decoder| Ok(Read::borrow_decode(decoder)?.0))?),
            10 => Node::Map(items(decoder, |decoder| Ok((text(decoder)?, Read::borrow_decode(decoder)?.0)))?),
            other => return Err(DecodeError::OtherString(format!("no value begins with {other}"))),
        };
        Ok(Read(node))
    }
}

fn text<'de, D: BorrowDecoder<'de>>(decoder: &mut D) -> Result<String, DecodeError> {
    <&str>::borrow_decode(decoder).map(ToString::to_string)
}

fn tensor<'de, D: BorrowDecoder<'de>>(decoder: &mut D) -> Result<TensorData, DecodeError> {
    let dtype = dtype(<&str>::borrow_decode(decoder)?).map_err(DecodeError::OtherString)?;
    let rank = usize::decode(decoder)?;
    let sizes: Vec<usize> = (0..rank).map(|_| usize::decode(decoder)).collect::<Result<_, _>>()?;
    let bytes = <&[u8]>::borrow_decode(decoder)?;
    TensorData::from_bytes(bytes, Shape::from(sizes), dtype)
        .map_err(|error| DecodeError::OtherString(error.to_string()))
}

/// As many items as are said to follow, one level deeper.
fn items<'de, D: BorrowDecoder<'de, Context = usize>, T>(
    decoder: &mut D,
    item: impl Fn(&mut D) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let levels = *decoder.context();
    *decoder.context() = levels.checked_sub(1).ok_or_else(|| DecodeError::OtherString(too_deep()))?;
    let count = usize::decode(decoder)?;
    let items = (0..count).map(|_| item(decoder)).collect();
    *decoder.context() = levels;
    items
}
