//! Text of a model in documentation: on one line, and without a way out of it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::fmt;

/// The most characters of a name that are shown.
const MOST_SHOWN: usize = 200;

/// A text of a model as a Markdown code span: one line in which neither Markdown nor HTML is read.
#[derive(Clone, Debug)]
pub(super) struct CodeSpan(String);

impl CodeSpan {
    /// Escapes a text.
    pub fn new(text: &str) -> Self {
        let mut span = String::from("`");
        for letter in text.chars().take(MOST_SHOWN) {
            if letter == '`' {
                span.extend(letter.escape_unicode());
            } else {
                push_visible(&mut span, letter);
            }
        }
        if text.chars().nth(MOST_SHOWN).is_some() {
            span.push('…');
        }
        // Two backquotes without a letter between them open a span that another pair ends.
        if text.is_empty() {
            span.push_str("\"\"");
        }
        span.push('`');
        CodeSpan(span)
    }
}

impl fmt::Display for CodeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One line of documentation.
#[derive(Clone, Debug)]
pub(super) struct DocLine(String);

impl DocLine {
    /// Makes a line. Names of a model have to be a [`CodeSpan`] in it; control characters are escaped
    /// whatever the text is.
    pub fn new(text: impl fmt::Display) -> Self {
        let mut line = String::new();
        text.to_string().chars().for_each(|letter| push_visible(&mut line, letter));
        DocLine(line)
    }
}

impl ToTokens for DocLine {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let text = if self.0.is_empty() { String::new() } else { format!(" {}", self.0) };
        tokens.extend(quote!(#[doc = #text]));
    }
}

/// Writes line breaks, control characters, and characters without a width or that turn the direction by their
/// number.
fn push_visible(text: &mut String, letter: char) {
    match letter {
        '\'' | '"' | '\\' => text.push(letter),
        other => text.extend(other.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans_have_one_line_and_no_backquote_inside() {
        for (text, expected) in [
            ("batch", "`batch`"),
            ("", "`\"\"`"),
            ("a`b", "`a\\u{60}b`"),
            ("a\nb\rc", "`a\\nb\\rc`"),
            ("a\u{202e}b\u{2028}c", "`a\\u{202e}b\\u{2028}c`"),
            ("größe \"x\" \\", "`größe \"x\" \\`"),
        ] {
            assert_eq!(CodeSpan::new(text).to_string(), expected);
        }
        assert_eq!(CodeSpan::new(&"x".repeat(10_000)).to_string().chars().count(), MOST_SHOWN + 3);
    }

    #[test]
    fn a_line_of_documentation_stays_one() {
        let line = DocLine::new("a\n*/ pub fn f() {}\r//");
        let tokens = line.to_token_stream().to_string();
        assert_eq!(tokens, "# [doc = \" a\\\\n*/ pub fn f() {}\\\\r//\"]");
    }
}
