//! Encoding of tensors in formats without them: a map whose first key is reserved.

use super::Node;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// First key of a tensor; its value is the dtype.
pub const TENSOR: &str = "$tensor";
pub const SHAPE: &str = "shape";
/// The elements, where the format has bytes.
pub const BYTES: &str = "bytes";
/// The elements, where it has not.
pub const VALUES: &str = "values";
/// The only key of bytes, as hexadecimal text.
pub const HEX: &str = "$bytes";
/// The only key of a float that is no number, as the hexadecimal text of its bits.
pub const FLOAT: &str = "$float";

/// Escapes a key that could be mistaken for a reserved one.
pub fn escape(key: &str) -> Cow<'_, str> {
    if key.starts_with('$') { Cow::Owned(format!("${key}")) } else { Cow::Borrowed(key) }
}

/// Restores a value from its map form; in other maps, unescapes the keys.
pub fn restore(mut fields: Vec<(String, Node)>) -> Result<Node, String> {
    match fields.first() {
        Some((key, Node::Text(hex))) if key == HEX && fields.len() == 1 => return bytes(hex),
        Some((key, Node::Text(bits))) if key == FLOAT && fields.len() == 1 => {
            let bits = u64::from_str_radix(bits, 16).map_err(|error| error.to_string())?;
            return Ok(Node::Float(f64::from_bits(bits)));
        }
        _ => {}
    }
    for (key, _) in &mut fields {
        if let Some(rest) = key.strip_prefix('$') {
            if !rest.starts_with('$') {
                return Err(format!("unknown key `{key}`"));
            }
            *key = rest.to_string();
        }
    }
    Ok(Node::Map(fields))
}

fn bytes(hex: &str) -> Result<Node, String> {
    let digit = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = hex.as_bytes().chunks(2).map(byte).collect();
    bytes.map(Node::Bytes).ok_or_else(|| "bytes are not pairs of hexadecimal digits".to_string())
}
