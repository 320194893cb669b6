use serde::{Deserialize, Serialize};
use std::fmt;

/// Error of decoding a message.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed: {}", self.0)
    }
}

burn_backend::debug_as_display!(Malformed);

impl std::error::Error for Malformed {}

/// Encodes a message.
pub fn encode<M: Serialize>(message: &M) -> Vec<u8> {
    put(message, Vec::new())
}

/// Appends an encoded message to `bytes`.
pub fn put<M: Serialize>(message: &M, bytes: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(message, bytes).expect("messages have no unserializable parts")
}

/// Decodes a message that takes up all the bytes.
///
/// # Errors
/// When they are not one message and nothing else.
pub fn decode<'a, M: Deserialize<'a>>(bytes: &'a [u8]) -> Result<M, Malformed> {
    let (message, rest) = first(bytes)?;
    if rest.is_empty() { Ok(message) } else { Err(Malformed(format!("{} bytes too many", rest.len()))) }
}

/// Decodes the first message, and returns it with the remaining bytes.
///
/// # Errors
/// When they begin with no message.
pub fn first<'a, M: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(M, &'a [u8]), Malformed> {
    postcard::take_from_bytes(bytes).map_err(|cause| Malformed(cause.to_string()))
}
