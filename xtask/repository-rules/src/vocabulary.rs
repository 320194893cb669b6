//! Comments begin with the thing that they are about, and items are named by terms of the field.

use crate::lines::Lines;
use repository::{RustFile, words};

/// First words of a comment that leave its subject out: "Who waits gets it" in place of "A waiting call gets
/// the error".
const OPENINGS: [&str; 10] =
    ["nobody", "of", "so many", "somebody", "somewhere", "what", "whatever", "who", "whoever", "whom"];

/// Names of items that only this project would use, for which there is a term: `receive` and not `hear`.
const NAMES: [&str; 14] = [
    "apart", "declined", "ending", "hear", "mend", "mended", "meeting", "minutes", "say", "skinny",
    "stretch", "tell", "told", "winners",
];

/// Keywords that a name follows.
const DECLARATIONS: [&str; 8] = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type"];

pub(crate) fn find(file: &RustFile) -> Lines {
    let openings = openings(&file.text).into_iter();
    let openings = openings.map(|(at, word)| (at, format!("begins with `{word}`; name the subject first")));
    let items =
        items(&file.code).map(|(at, item)| (file.line_of(at), format!("`{item}` is no term of the field")));
    openings.chain(items).collect()
}

/// First lines of comments that begin with one of [`OPENINGS`], and the word.
fn openings(text: &str) -> Vec<(usize, &'static str)> {
    let (mut found, mut before, mut is_code) = (Vec::new(), "", false);
    for (at, line) in text.lines().enumerate() {
        let (marker, comment) = comment_of(line);
        let is_first = marker != before;
        before = if comment.is_empty() { "" } else { marker };
        if comment.starts_with("```") {
            is_code = !is_code;
        } else if is_first && !is_code {
            let lower = comment.to_lowercase();
            let begins = |word: &&&str| lower.strip_prefix(**word).is_some_and(|rest| rest.starts_with(' '));
            found.extend(OPENINGS.iter().find(begins).map(|word| (at + 1, *word)));
        }
    }
    found
}

/// The marker and the text of a line that is a comment.
pub(crate) fn comment_of(line: &str) -> (&str, &str) {
    let trimmed = line.trim();
    let marker = ["///", "//!", "//"].into_iter().find(|marker| trimmed.starts_with(marker)).unwrap_or("");
    (marker, if marker.is_empty() { "" } else { trimmed[marker.len()..].trim() })
}

/// Declarations of [`NAMES`], each with its offset.
fn items(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = words(code);
    let declared = words.clone().zip(words.skip(1)).filter(|((_, kind), _)| DECLARATIONS.contains(kind));
    declared.map(|(_, item)| item).filter(|(_, name)| NAMES.contains(&name.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_without_a_subject_are_found() {
        let lines = |text| openings(text).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines("// Who waits is told.\nlet x = 1; // the end\n/// Whatever it is.\n"), [1, 3]);
        assert_eq!(lines("/// Names of those\n/// who wait.\n///\n/// What they wait for.\n"), [4]);
        assert!(
            lines("/// ```\n/// // Who waits?\n/// what();\n/// ```\n/// Offset.\n// Whole.\n").is_empty()
        );
    }

    #[test]
    fn private_words_are_found_where_they_are_declared() {
        let names = |code| items(code).map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(names("pub async fn hear() {}\nstruct Minutes;\nmod told;"), ["hear", "Minutes", "told"]);
        assert!(names("let told = 1; said.tell(); fn hear_all() {}").is_empty());
    }
}
