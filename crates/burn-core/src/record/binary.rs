//! The compact binary format: `BURNBIN`, the version, the tree as bincode writes it, and its CRC-32,
//! little-endian.
//!
//! bincode is not self-describing, so a node starts with a byte for its kind. Nothing is allocated by a
//! length alone: vectors grow with the bytes that follow.

use super::Node;
use super::budget::Budget;
use super::envelope::dtype;
use super::node::{MAX_DEPTH, too_deep};
use crate::tensor::{Shape, TensorData};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use bincode::config::standard;
use bincode::de::read::Reader;
use bincode::de::{Decode, Decoder, DecoderImpl};
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

/// Decodes the tree of a whole file.
pub fn decode(bytes: &[u8]) -> Result<Node, String> {
    let (head, rest) =
        bytes.split_at_checked(HEAD).ok_or_else(|| check_head(bytes).err().unwrap_or_else(cut))?;
    check_head(head)?;
    let (tree, checksum) = rest.split_last_chunk().ok_or_else(cut)?;
    if crc32fast::hash(tree) != u32::from_le_bytes(*checksum) {
        return Err(DAMAGED.to_string());
    }
    let mut source = Slice(tree);
    let node = decode_tree(&mut source)?;
    match source.0.len() {
        0 => Ok(node),
        count => Err(format!("{count} bytes follow the end of the record")),
    }
}

/// Decodes the tree of a whole file from a stream.
#[cfg(feature = "std")]
pub fn decode_stream(source: &mut dyn std::io::Read) -> Result<Node, String> {
    let mut head = [0; HEAD];
    stream::fill(source, &mut head)?;
    check_head(&head)?;
    let mut hashing = stream::Hashing { source, checksum: crc32fast::Hasher::new() };
    let node = decode_tree(&mut hashing)?;
    let expected = hashing.checksum.finalize();
    let mut checksum = [0; 4];
    stream::fill(source, &mut checksum)?;
    if u32::from_le_bytes(checksum) != expected {
        return Err(DAMAGED.to_string());
    }
    match source.read(&mut [0]).map_err(|error| error.to_string())? {
        0 => Ok(node),
        _ => Err("bytes follow the end of the record".to_string()),
    }
}

/// Magic and version.
const HEAD: usize = MAGIC.len() + 1;
const DAMAGED: &str = "the checksum is wrong: the record is truncated or damaged";

fn cut() -> String {
    "truncated: the record ends in its head".to_string()
}

fn check_head(head: &[u8]) -> Result<(), String> {
    let Some(rest) = head.strip_prefix(MAGIC) else {
        return Err("the file does not begin as a binary record does".to_string());
    };
    match rest {
        [VERSION, ..] => Ok(()),
        [] => Err(cut()),
        [version, ..] => Err(format!(
            "the binary layout is of version {version}, and this program reads version {VERSION}; named formats are \
             the ones to keep"
        )),
    }
}

fn decode_tree<R: Reader>(source: R) -> Result<Node, String> {
    let limits = Limits { levels: MAX_DEPTH, budget: Budget::new() };
    read_node(&mut DecoderImpl::new(source, standard(), limits)).map_err(cause)
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

/// Bytes in memory.
struct Slice<'a>(&'a [u8]);

impl Reader for Slice<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<(), DecodeError> {
        let additional = bytes.len().saturating_sub(self.0.len());
        let Some((read, rest)) = self.0.split_at_checked(bytes.len()) else {
            return Err(DecodeError::UnexpectedEnd { additional });
        };
        bytes.copy_from_slice(read);
        self.0 = rest;
        Ok(())
    }
}

#[cfg(feature = "std")]
mod stream {
    use super::{DecodeError, Reader, String, ToString};
    use std::io::{ErrorKind, Read};

    pub fn fill(source: &mut dyn Read, bytes: &mut [u8]) -> Result<(), String> {
        source.read_exact(bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => "truncated: the file ends in a value".to_string(),
            _ => error.to_string(),
        })
    }

    /// Reader that computes the checksum of the bytes read.
    pub struct Hashing<'a> {
        pub source: &'a mut dyn Read,
        pub checksum: crc32fast::Hasher,
    }

    impl Reader for Hashing<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> Result<(), DecodeError> {
            fill(self.source, bytes).map_err(DecodeError::OtherString)?;
            self.checksum.update(bytes);
            Ok(())
        }
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
            Node::Weights(_) => unreachable!("refused by the budget"),
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

/// Remaining limits on depth and memory while a tree is decoded.
struct Limits {
    /// Number of nested levels still allowed.
    levels: usize,
    budget: Budget,
}

fn read_node<D: Decoder<Context = Limits>>(decoder: &mut D) -> Result<Node, DecodeError> {
    Ok(match u8::decode(decoder)? {
        0 => Node::Null,
        1 => Node::Bool(false),
        2 => Node::Bool(true),
        3 => Node::UInt(u64::decode(decoder)?),
        4 => Node::Int(i64::decode(decoder)?),
        5 => Node::Float(f64::decode(decoder)?),
        6 => Node::Text(text(decoder)?),
        7 => Node::Bytes(bytes(decoder)?),
        8 => Node::Tensor(tensor(decoder)?),
        9 => Node::List(items(decoder, |decoder, index| {
            pay(decoder.context().budget.item(index))?;
            read_node(decoder)
        })?),
        10 => Node::Map(items(decoder, |decoder, index| {
            let key = text(decoder)?;
            pay(decoder.context().budget.field(index, &key))?;
            Ok((key, read_node(decoder)?))
        })?),
        other => return Err(DecodeError::OtherString(format!("no value begins with {other}"))),
    })
}

fn pay(paid: Result<(), String>) -> Result<(), DecodeError> {
    paid.map_err(DecodeError::OtherString)
}

fn text<D: Decoder<Context = Limits>>(decoder: &mut D) -> Result<String, DecodeError> {
    let text = String::from_utf8(bytes(decoder)?);
    text.map_err(|error| DecodeError::OtherString(format!("a text is not UTF-8: {error}")))
}

/// Reads a length and as many bytes. The vector grows with the bytes that follow.
fn bytes<D: Decoder<Context = Limits>>(decoder: &mut D) -> Result<Vec<u8>, DecodeError> {
    const FIRST: usize = 4096;
    pay(decoder.context().budget.allocation())?;
    let length = usize::decode(decoder)?;
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let begin = bytes.len();
        bytes.resize(length.min(FIRST.max(begin.saturating_mul(2))), 0);
        decoder.reader().read(&mut bytes[begin..])?;
    }
    Ok(bytes)
}

fn tensor<D: Decoder<Context = Limits>>(decoder: &mut D) -> Result<TensorData, DecodeError> {
    let dtype = dtype(&text(decoder)?).map_err(DecodeError::OtherString)?;
    let rank = usize::decode(decoder)?;
    let mut sizes = Vec::new();
    for index in 0..rank {
        pay(decoder.context().budget.size(index))?;
        sizes.push(usize::decode(decoder)?);
    }
    let bytes = bytes(decoder)?;
    TensorData::from_bytes(&bytes, Shape::from(sizes), dtype)
        .map_err(|error| DecodeError::OtherString(error.to_string()))
}

/// Reads a count and as many items, one level deeper.
fn items<D: Decoder<Context = Limits>, T>(
    decoder: &mut D,
    item: impl Fn(&mut D, usize) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let levels = decoder.context().levels;
    decoder.context().levels = levels.checked_sub(1).ok_or_else(|| DecodeError::OtherString(too_deep()))?;
    let count = usize::decode(decoder)?;
    let mut items = Vec::new();
    for index in 0..count {
        items.push(item(decoder, index)?);
    }
    decoder.context().levels = levels;
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// The layout of files that exist, byte by byte as the specification of bincode 2 says: a number below
    /// 251 is a byte, others are 251, 252 or 253 and 2, 4 or 8 bytes; signed ones are zigzag (0, -1, 1, -2,
    /// ..); a text is its length and its bytes. Whatever library writes them (decision 45), they stay these.
    #[test]
    fn files_of_bincode_2_are_read_and_written_byte_by_byte() {
        let tree = Node::Map(vec![
            ("a".to_string(), Node::List(vec![Node::Null, Node::Bool(false), Node::Bool(true)])),
            (
                "u".to_string(),
                Node::List([250, 251, 65_535, 65_536, 4_294_967_295, 4_294_967_296].map(Node::UInt).to_vec()),
            ),
            ("i".to_string(), Node::List([0, -1, 1, -126, 125, i64::MIN].map(Node::Int).to_vec())),
            ("f".to_string(), Node::Float(1.5)),
            ("t".to_string(), Node::Text("é".to_string())),
            ("b".to_string(), Node::Bytes(vec![9, 8])),
            ("x".to_string(), Node::Tensor(TensorData::new(vec![1.0_f32, -2.0], [2]))),
        ]);
        let written: &[&[u8]] = &[
            &[10, 7],
            &[1, b'a', 9, 3, 0, 1, 2],
            &[1, b'u', 9, 6, 3, 250, 3, 251, 251, 0, 3, 251, 255, 255, 3, 252, 0, 0, 1, 0],
            &[3, 252, 255, 255, 255, 255, 3, 253, 0, 0, 0, 0, 1, 0, 0, 0],
            &[1, b'i', 9, 6, 4, 0, 4, 1, 4, 2, 4, 251, 251, 0, 4, 250],
            &[4, 253, 255, 255, 255, 255, 255, 255, 255, 255],
            &[1, b'f', 5, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f],
            &[1, b't', 6, 2, 0xc3, 0xa9],
            &[1, b'b', 7, 2, 9, 8],
            &[1, b'x', 8, 3, b'f', b'3', b'2', 1, 2, 8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0],
        ];
        let body = written.concat();
        let file = [MAGIC, &[2], &body, &crc32fast::hash(&body).to_le_bytes()].concat();
        let mut encoded = Vec::new();
        encode(&tree, &mut |part| encoded.extend_from_slice(part));
        assert_eq!(encoded, file);
        assert_eq!(decode(&file).unwrap(), tree);
    }
}
