/// Whether a character may be in an identifier.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the identifiers, keywords and numbers of a text, each with its offset.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let offset = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words = text.split(|c| !is_word(c)).filter(|word| !word.is_empty());
    words.map(move |word| (offset(word), word))
}

/// Returns the identifier at the beginning of a text, which may be empty.
pub fn name_at(text: &str) -> &str {
    text.split(|c| !is_word(c)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_identifiers_with_their_offsets() {
        assert_eq!(words("a.b_1::<ß>").collect::<Vec<_>>(), [(0, "a"), (2, "b_1"), (8, "ß")]);
        assert_eq!((name_at("new_op(x)"), name_at("(x)")), ("new_op", ""));
    }
}
