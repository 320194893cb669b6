//! Comments use the terms of the field: few lines of a crate have a word in a meaning of this project alone.

use crate::vocabulary::comment_of;
use repository::{Findings, RustFile};
use std::collections::BTreeMap;

/// Words for which there is a term: index, slot or address for `place`, after for `behind`, reported for
/// `told`, boolean for `truth value`, target for `bar`, read for `look`, paired for `meet`,
/// separate or distance for `apart`, and the caller or reader by name for `nobody`.
const WORDS: [&str; 19] = [
    "apart", "bar", "bars", "behind", "hear", "hears", "look", "looks", "meet", "meets", "nobody", "place",
    "places", "somebody", "tell", "tells", "told", "truth", "winners",
];

/// Phrases in which such a word means what it means everywhere.
const ORDINARY: [&str; 11] = [
    "behind a feature",
    "behind features",
    "in place",
    "in-place",
    "last place",
    "place of",
    "look up",
    "looks up",
    "progress bar",
    "take place",
    "takes place",
];

/// Lines of comments for each line that may have one of the words.
const LINES: usize = 50;

pub(crate) fn find(files: &[RustFile]) -> Findings {
    let mut crates: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_written()) {
        let (lines, private) = crates.entry(crate_of(&file.name)).or_default();
        for (at, line) in file.text.lines().enumerate() {
            let (_, comment) = comment_of(line);
            *lines += usize::from(!comment.is_empty());
            private.extend(word(comment).map(|word| format!("{}:{}: `{word}`", file.name, at + 1)));
        }
    }
    let too_many = crates.into_iter().filter(|(_, (lines, private))| private.len() > lines.div_ceil(LINES));
    let described = too_many.flat_map(|(name, (lines, private))| {
        let count = private.len();
        let title = format!("{name}: {count} of {lines} lines of comments have private words, 2 % may");
        [title].into_iter().chain(private)
    });
    Ok(described.collect())
}

/// The crate of a file; examples count as one.
fn crate_of(name: &str) -> String {
    let depth = if name.starts_with("crates/") { 2 } else { 1 };
    name.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// The first of [`WORDS`] in a comment, outside of code in backticks and of [`ORDINARY`] phrases.
fn word(comment: &str) -> Option<&'static str> {
    let text = comment.to_lowercase().split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let text = ORDINARY.iter().fold(text, |text, phrase| text.replace(phrase, " "));
    text.split(|c: char| !c.is_alphabetic()).find_map(|word| WORDS.into_iter().find(|known| *known == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_words_are_found_outside_of_code_and_ordinary_phrases() {
        assert_eq!(word("Nobody waits."), Some("nobody"));
        assert_eq!(word("The `place` of an element, in place."), None);
        assert_eq!(word("Changed in place, behind a feature."), None);
        assert_eq!(word("Its place in the list"), Some("place"));
        assert_eq!(word("Placeholders and barriers."), None);
    }

    #[test]
    fn a_crate_is_the_folder_that_it_is_in() {
        assert_eq!(crate_of("crates/burn-nn/src/lib.rs"), "crates/burn-nn");
        assert_eq!(crate_of("examples/mnist/src/lib.rs"), "examples");
    }
}
