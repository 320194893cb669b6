/// How a vocabulary spells bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// A character for each byte, as in GPT-2.
    ByteLevel,
    /// `▁` for a space and `<0x0A>` for a byte, as in SentencePiece.
    SentencePiece,
}

/// The bytes of a token of the vocabulary.
pub fn spelled(text: &str, spelling: Spelling) -> Vec<u8> {
    match spelling {
        Spelling::ByteLevel => text.chars().flat_map(byte_of).collect(),
        Spelling::SentencePiece => {
            let hex = text.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
            match hex.filter(|hex| hex.len() == 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                Some(byte) => vec![byte],
                None => text.replace('▁', " ").into_bytes(),
            }
        }
    }
}

/// The byte that a character of GPT-2's alphabet stands for; other characters stand for themselves.
///
/// Visible characters of Latin-1 are their own bytes; the others are numbered from U+0100 on in their order.
fn byte_of(character: char) -> Vec<u8> {
    let visible = |byte: u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let code = character as u32;
    if code < 0x100 && visible(code) {
        return vec![code as u8];
    }
    let hidden = (0..=0xff_u8).filter(|byte| !visible(u32::from(*byte)));
    let number = code.checked_sub(0x100).and_then(|number| usize::try_from(number).ok());
    match number.and_then(|number| hidden.into_iter().nth(number)) {
        Some(byte) => vec![byte],
        None => character.to_string().into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Spelling, spelled};

    #[test]
    fn tokens_are_spelled_as_bytes() {
        assert_eq!(spelled("ĠaĊ", Spelling::ByteLevel), b" a\n");
        assert_eq!(spelled("Ã©", Spelling::ByteLevel), "é".as_bytes());
        assert_eq!(spelled("▁a▁", Spelling::SentencePiece), b" a ");
        assert_eq!(spelled("<0xE9>", Spelling::SentencePiece), [0xe9]);
        assert_eq!(spelled("<0xZZ>", Spelling::SentencePiece), b"<0xZZ>");
    }
}
