//! Nothing is left for later in the tree: what is not built is an issue, not a placeholder.

use super::Findings;
use super::source::code;
use crate::workspace::{files, read, relative};

/// In code.
const MACROS: [&str; 4] = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
/// In comments too; put together here so that this file does not find itself.
const WORDS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for path in files(&["rs", "md", "toml", "py"]) {
        let text = read(&path)?;
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let code = if is_rust { code(&text) } else { String::new() };
        let found_in = |text: &str, words: &[&str]| {
            let lines = text.lines().enumerate();
            let found =
                lines.filter_map(|(at, line)| Some((at, words.iter().find(|word| has_word(line, word))?)));
            found.map(|(at, word)| format!("{}:{}: {word}", relative(&path), at + 1)).collect::<Vec<_>>()
        };
        findings.extend(found_in(&code, &MACROS));
        findings.extend(found_in(&text, &WORDS));
    }
    Ok(findings)
}

/// Whether the word stands by itself, not inside a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + word.len()..].chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn words_inside_longer_words_do_not_count() {
        assert!(has_word("    todo!()", "todo!"));
        assert!(!has_word("my_todo!()", "todo!"));
    }
}
