//! A look over the bytes of a message before it is decoded: how many items they hold and how deep they are
//! nested.
//!
//! Two bytes of a file can stand for an empty node that takes hundreds in memory, so the number of items is
//! limited, whatever the size of the file.

/// The most messages, texts and list entries of a model.
const MOST_ITEMS: u64 = 20_000_000;

/// The deepest nesting of messages: a graph in a graph takes three levels.
const DEEPEST: usize = 90;

/// The messages that have messages or lists inside. The letters of a row are the fields of that message.
#[derive(Clone, Copy)]
pub(super) enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    Function,
    /// Types, entries and values: any field may be a message, and their depth is limited by the decoder.
    Other,
}

impl Message {
    /// The message in field `field`, if that is one.
    fn field(self, field: u64) -> Option<Message> {
        match (self, field) {
            (Message::Model, 7) | (Message::Attribute, 6 | 11) => Some(Message::Graph),
            (Message::Model, 25) => Some(Message::Function),
            (Message::Graph, 1) | (Message::Function, 7) => Some(Message::Node),
            (Message::Graph, 5) | (Message::Attribute, 5 | 10) => Some(Message::Tensor),
            (Message::Graph, 11..=13) | (Message::Tensor, 13) | (Message::Attribute, 14 | 15) => {
                Some(Message::Other)
            }
            (Message::Node, 5) | (Message::Function, 11) => Some(Message::Attribute),
            _ => None,
        }
    }
}

/// Checks the number of items and the depth of `bytes`.
///
/// # Errors
/// When they are beyond the limits, or the bytes are no message.
pub(super) fn check(message: Message, bytes: &[u8]) -> Result<(), String> {
    let mut items = 0;
    walk(message, bytes, 0, &mut items)
}

fn walk(message: Message, mut bytes: &[u8], depth: usize, items: &mut u64) -> Result<(), String> {
    if depth > DEEPEST {
        return Err(format!("messages are nested more than {DEEPEST} levels deep"));
    }
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        *items += 1;
        if *items > MOST_ITEMS {
            return Err(format!("the model has more than {MOST_ITEMS} items"));
        }
        match key & 7 {
            0 => drop(varint(&mut bytes)?),
            1 => drop(take(&mut bytes, 8)?),
            5 => drop(take(&mut bytes, 4)?),
            2 => {
                let length = varint(&mut bytes)?;
                let content = take(&mut bytes, length)?;
                if let Some(inner) = message.field(key >> 3) {
                    walk(inner, content, depth + 1, items)?;
                }
            }
            wire => return Err(format!("wire type {wire} is none of protobuf's")),
        }
    }
    Ok(())
}

fn take<'a>(bytes: &mut &'a [u8], length: u64) -> Result<&'a [u8], String> {
    let length = usize::try_from(length).ok().filter(|&length| length <= bytes.len());
    let Some(length) = length else {
        return Err("a field is longer than the rest of the file: the file is cut off or damaged".into());
    };
    let (front, rest) = bytes.split_at(length);
    *bytes = rest;
    Ok(front)
}

fn varint(bytes: &mut &[u8]) -> Result<u64, String> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err("a number has more than 64 bits".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_messages_deeper_than_the_limit_are_refused() {
        let mut bytes = Vec::new();
        for _ in 0..DEEPEST {
            // Graph, its node, its attribute, whose graph is the one before.
            for field in [6_u8, 5, 1] {
                let mut outer = vec![field << 3 | 2];
                let mut length = bytes.len();
                while length >= 0x80 {
                    outer.push(length as u8 | 0x80);
                    length >>= 7;
                }
                outer.push(length as u8);
                outer.append(&mut bytes);
                bytes = outer;
            }
        }
        let error = check(Message::Graph, &bytes).unwrap_err();
        assert!(error.contains("levels deep"), "{error}");
    }

    #[test]
    fn a_field_beyond_the_end_is_refused() {
        let error = check(Message::Model, &[0x3a, 0x10, 0]).unwrap_err();
        assert!(error.contains("cut off"), "{error}");
    }
}
