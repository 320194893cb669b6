//! Messages by which ranks agree on a call before they exchange bytes.

use crate::CollectiveError;
use core::fmt::{self, Display};

/// Longest message in bytes; the fields of a call are cut to fit.
pub const MAX_FRAME_BYTES: usize = 4096;

const CALL: u8 = 0;
const FAILED: u8 = 1;
const ENDED: u8 = 2;
/// Characters of one value: longer ones are compared by a hash at their end.
const MAX_VALUE: usize = 600;
/// Separate fields and values, and cannot be typed by mistake.
const FIELD: char = '\u{1e}';
const VALUE: char = '\u{1f}';

/// A call of a collective: the fields in which all ranks have to agree, the name of the operation first.
#[derive(Clone, Debug, PartialEq)]
pub struct CallFields(Vec<(String, String)>);

impl CallFields {
    pub fn new(operation: &str) -> Self {
        CallFields(vec![("operation".to_string(), operation.to_string())])
    }

    pub fn operation(&self) -> &str {
        self.0.first().map_or("", |(_, operation)| operation)
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Display) -> Self {
        self.0.push((field.to_string(), shortened(value.to_string())));
        self
    }

    pub fn get(&self, field: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == field).map(|(_, value)| value.as_str())
    }

    /// Returns the first field in which the call of `rank` differs from this one, that of rank 0, as an
    /// error.
    fn difference(&self, other: &CallFields, rank: usize) -> Option<CollectiveError> {
        if self == other {
            return None;
        }
        let differs = |(name, value): &&(String, String)| other.get(name) != Some(value.as_str());
        let nothing = || "no such field".to_string();
        let (field, expected) = match self.0.iter().find(differs) {
            Some((name, value)) => (name.clone(), value.clone()),
            // The other rank has fields more.
            None => (other.0.get(self.0.len()).map_or_else(nothing, |(name, _)| name.clone()), nothing()),
        };
        let found = other.get(&field).map_or_else(nothing, str::to_string);
        let operation = self.operation().to_string();
        Some(CollectiveError::Disagreement { operation, rank, field, expected, found })
    }
}

impl Display for CallFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.operation())?;
        self.0.iter().skip(1).try_for_each(|(name, value)| write!(f, ", {name} {value}"))
    }
}

/// Cuts a long value, and adds a hash of the whole, so that values that differ after the cut still differ.
fn shortened(value: String) -> String {
    if value.len() <= MAX_VALUE {
        return value;
    }
    let hash = value.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let cut = value.floor_char_boundary(MAX_VALUE);
    format!("{}.. (hash {hash:016x})", &value[..cut])
}

/// Message of a rank.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// The rank makes this call.
    Call(CallFields),
    /// The rank has an error, in this call or an earlier one.
    Failed(String),
    /// The rank makes no more calls.
    Ended,
}

impl Frame {
    pub fn encode(&self) -> Vec<u8> {
        let (kind, text) = match self {
            Frame::Call(CallFields(fields)) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{name}{VALUE}{value}")).collect();
                (CALL, fields.join(&FIELD.to_string()))
            }
            Frame::Failed(message) => (FAILED, message.clone()),
            Frame::Ended => (ENDED, String::new()),
        };
        let mut bytes = vec![kind];
        bytes.extend_from_slice(&text.as_bytes()[..text.floor_char_boundary(MAX_FRAME_BYTES - 1)]);
        bytes
    }

    /// Reads a message. Whatever is no message of this crate is a failure of its sender.
    pub fn decode(bytes: &[u8]) -> Self {
        let Some((kind, text)) = bytes.split_first() else { return Frame::Ended };
        let text = String::from_utf8_lossy(text);
        match *kind {
            CALL => {
                let field = |field: &str| {
                    let (name, value) = field.split_once(VALUE).unwrap_or((field, ""));
                    (name.to_string(), value.to_string())
                };
                Frame::Call(CallFields(text.split(FIELD).map(field).collect()))
            }
            ENDED => Frame::Ended,
            FAILED => Frame::Failed(text.into_owned()),
            kind => Frame::Failed(format!("it sent a message of the unknown kind {kind}")),
        }
    }
}

/// Checks that all ranks make the call that rank 0 makes.
///
/// # Errors
/// The same on every rank: the lowest rank that failed or ended, else the lowest one that differs from rank
/// 0.
pub fn check_agreement(own: &CallFields, frames: &[Vec<u8>]) -> Result<(), CollectiveError> {
    let operation = || own.operation().to_string();
    let mut calls = Vec::with_capacity(frames.len());
    for (rank, frame) in frames.iter().enumerate() {
        match Frame::decode(frame) {
            Frame::Call(call) => calls.push(call),
            Frame::Failed(message) => {
                return Err(CollectiveError::RankFailed { operation: operation(), rank, message });
            }
            Frame::Ended => return Err(CollectiveError::RankEnded { operation: operation(), rank }),
        }
    }
    let Some((first, others)) = calls.split_first() else { return Ok(()) };
    let difference = others.iter().zip(1..).find_map(|(call, rank)| first.difference(call, rank));
    difference.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_round_trips() {
        let call = CallFields::new("all_reduce").with("dtype", "f32").with("shape", "[2, 3]");
        for frame in [Frame::Call(call), Frame::Failed("no memory".into()), Frame::Ended] {
            assert_eq!(Frame::decode(&frame.encode()), frame);
        }
        assert!(matches!(Frame::decode(&[9, 1]), Frame::Failed(_)));
    }

    #[test]
    fn agreement_names_the_first_field_and_the_lowest_rank_that_differ() {
        let call = |dtype: &str| CallFields::new("all_reduce").with("dtype", dtype);
        let frames = ["f32", "f32", "f64"].map(|dtype| Frame::Call(call(dtype)).encode());
        let error = check_agreement(&call("f32"), &frames).unwrap_err().to_string();
        assert!(
            error.contains("differ in the dtype; expected f32 as on rank 0, got f64 on rank 2"),
            "{error}"
        );
    }

    #[test]
    fn long_values_that_differ_at_their_end_are_told_apart() {
        let call = |last: char| CallFields::new("x").with("shapes", "[1], ".repeat(5000) + &last.to_string());
        assert_ne!(call('1'), call('2'));
        assert!(Frame::Call(call('1')).encode().len() <= MAX_FRAME_BYTES);
    }
}
