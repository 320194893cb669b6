//! The sentence of a documentation about PyTorch.

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Counterpart {
    /// Name of the counterpart, in Markdown.
    Named(String),
    None,
}

impl Counterpart {
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Counterpart::Named(name) => Some(name),
            Counterpart::None => None,
        }
    }
}

const NAMED: &str = "PyTorch: ";
const NONE: &str = "PyTorch has no counterpart";

/// Reads the sentence; `None` when the documentation has none.
pub(super) fn find(documentation: &str) -> Option<Counterpart> {
    let text = documentation.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((_, rest)) = text.split_once(NAMED) {
        return Some(Counterpart::Named(sentence(rest).to_string()));
    }
    text.contains(NONE).then_some(Counterpart::None)
}

/// Returns the text to the first full stop outside of code and parentheses.
pub(super) fn sentence(text: &str) -> &str {
    let (mut in_code, mut depth) = (false, 0_usize);
    for (at, character) in text.char_indices() {
        let ends = text[at + character.len_utf8()..].chars().next().is_none_or(char::is_whitespace);
        match character {
            '`' => in_code = !in_code,
            _ if in_code => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '.' if depth == 0 && ends => return &text[..at],
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_ends_at_its_full_stop() {
        let text = "A sum.\nPyTorch:\n`torch.sum(x, dim=1)`, or\n`x.sum`. More text. PyTorch's is slower.";
        let named = Counterpart::Named("`torch.sum(x, dim=1)`, or `x.sum`".into());
        assert_eq!(find(text), Some(named));
        assert_eq!(find("Nothing. PyTorch's is slower."), None);
        assert_eq!(find("A view. PyTorch has no\ncounterpart."), Some(Counterpart::None));
    }
}
