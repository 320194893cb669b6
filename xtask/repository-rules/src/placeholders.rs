//! Nothing is left for later in the tree: what is not built is an issue, not a placeholder.

use crate::lines::{Lines, each_line};
use repository::workspace::{files, read, relative};
use repository::{Findings, code};

/// In code.
const MACROS: [&str; 4] = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
/// In comments too; put together here so that this file does not find itself.
const WORDS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
/// In tests: one that measures when it is asked to, and passes otherwise, is a bench.
const MEASURES: [&str; 1] = ["BURN_MEASURE"];

pub(crate) fn find() -> Findings {
    let mut findings = Vec::new();
    for path in files(&["rs", "md", "toml", "py"]) {
        let text = read(&path)?;
        let mut found = Lines::new();
        if path.extension().is_some_and(|extension| extension == "rs") {
            found = each_line(&code(&text), |line| word(line, &MACROS));
        }
        found.extend(each_line(&text, |line| word(line, &WORDS)));
        if path.components().any(|part| part.as_os_str() == "tests") {
            found.extend(each_line(&text, |line| word(line, &MEASURES)));
        }
        findings.extend(found.iter().map(|(line, word)| format!("{}:{line}: {word}", relative(&path))));
    }
    Ok(findings)
}

/// The first of the words that stands by itself, not inside a longer one.
fn word(line: &str, words: &[&str]) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |word: &&&str| {
        line.match_indices(**word)
            .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
    };
    words.iter().find(is_whole).map(|word| word.to_string())
}

#[cfg(test)]
mod tests {
    use super::{MACROS, word};

    #[test]
    fn words_inside_longer_words_do_not_count() {
        assert_eq!(word("    todo!()", &MACROS).as_deref(), Some("todo!"));
        assert_eq!(word("my_todo!()", &MACROS), None);
    }
}
