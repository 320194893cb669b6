/// Puts the bytes of tokens together to text as they come, and holds back a character whose bytes are not
/// complete.
///
/// ```
/// use burn::lm::Detokenizer;
///
/// let mut text = Detokenizer::default();
/// assert_eq!(text.push(&[b'a', 0xc3]), "a");
/// assert_eq!(text.push(&[0xa9]), "é");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Detokenizer {
    pending: Vec<u8>,
}

impl Detokenizer {
    /// Adds bytes and returns the characters that are complete. Bytes that cannot become UTF-8 any more are
    /// U+FFFD.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.pending) {
                Ok(valid) => {
                    text.push_str(valid);
                    self.pending.clear();
                    return text;
                }
                Err(error) => {
                    let valid = error.valid_up_to();
                    text.push_str(&String::from_utf8_lossy(&self.pending[..valid]));
                    let Some(wrong) = error.error_len() else {
                        self.pending.drain(..valid);
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.pending.drain(..valid + wrong);
                }
            }
        }
    }

    /// Returns what is left at the end: U+FFFD for a character that was not completed.
    pub fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Detokenizer;

    #[test]
    fn characters_come_when_their_bytes_are_complete() {
        let mut text = Detokenizer::default();
        let parts: Vec<String> = "añ🙂".as_bytes().iter().map(|byte| text.push(&[*byte])).collect();
        assert_eq!(parts, ["a", "", "ñ", "", "", "", "🙂"]);
        assert_eq!(text.push(&[0xff, b'b', 0xf0]), "\u{fffd}b");
        assert_eq!((text.finish(), text.finish()), ("\u{fffd}".to_string(), String::new()));
    }
}
