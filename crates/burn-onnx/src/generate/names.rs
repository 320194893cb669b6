//! Names of a model as Rust identifiers.

use proc_macro2::{Ident, Span};
use std::collections::{HashMap, HashSet};

/// The most letters of a name that an identifier keeps.
const LONGEST: usize = 128;

/// Words that are no identifiers, and names that generated code uses itself.
const TAKEN: [&str; 60] = [
    "abstract",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "macro_rules",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "union",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
    "device",
    "phantom",
    "activation",
    "module",
    "s",
    "vec",
    "burn",
];

/// Identifiers of one scope, each of them once.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    /// The number that is tried next for a name that is taken.
    next: HashMap<String, usize>,
}

impl Names {
    /// Returns a unique identifier for a name, with a number added where it is taken.
    pub fn unique(&mut self, name: &str) -> Ident {
        let base = snake_case(name);
        let mut unique = base.clone();
        while !self.taken.insert(unique.clone()) {
            let count = self.next.entry(base.clone()).or_insert(2);
            unique = format!("{base}_{count}");
            *count += 1;
        }
        Ident::new(&unique, Span::call_site())
    }
}

/// The name of a variable that nothing reads.
pub(super) fn unread(name: &Ident) -> Ident {
    Ident::new(&format!("_{name}"), Span::call_site())
}

/// A name in snake case: `/encoder/Conv_output_0` becomes `encoder_conv`.
///
/// Only lower-case letters of ASCII, digits and `_` are left of it, and no word of [`TAKEN`].
fn snake_case(name: &str) -> String {
    let name = name.strip_suffix("_output_0").unwrap_or(name);
    let mut result = String::new();
    let mut lower = false;
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            if letter.is_ascii_uppercase() && lower {
                result.push('_');
            }
            lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
            result.push(letter.to_ascii_lowercase());
        } else if !result.ends_with('_') && !result.is_empty() {
            result.push('_');
            lower = false;
        }
        if result.len() >= LONGEST {
            break;
        }
    }
    let trimmed = result.trim_end_matches('_');
    let mut result = trimmed.to_string();
    if result.is_empty() {
        result = "value".into();
    }
    if result.starts_with(|letter: char| letter.is_ascii_digit()) {
        result.insert_str(0, "value_");
    }
    if TAKEN.contains(&&result[..]) {
        result.push('_');
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_exporters_become_identifiers() {
        for (name, expected) in [
            ("/encoder/layer.0/Conv_output_0", "encoder_layer_0_conv"),
            ("input.1", "input_1"),
            ("192", "value_192"),
            ("type", "type_"),
            ("", "value"),
            ("BatchNorm2d", "batch_norm2d"),
            ("größe", "gr_e"),
        ] {
            assert_eq!(snake_case(name), expected, "{name}");
        }
        let mut names = Names::default();
        let unique = ["x", "x_2", "X", "x"].map(|name| names.unique(name).to_string());
        assert_eq!(unique, ["x", "x_2", "x_3", "x_4"]);
    }

    #[test]
    fn hostile_names_become_identifiers() {
        let mut names = Names::default();
        for name in [
            "self",
            "Self",
            "crate",
            "super",
            "_",
            "r#fn",
            "*/",
            "\"#",
            "\r\n",
            "a`\npub fn f() {}",
            "\u{202e}x",
            "9",
        ] {
            // `parse_str` refuses keywords and anything but one identifier.
            syn::parse_str::<syn::Ident>(&names.unique(name).to_string()).expect(name);
        }
        assert!(names.unique(&"a".repeat(100_000)).to_string().len() <= LONGEST);
    }

    #[test]
    fn many_equal_names_take_linear_time() {
        let mut names = Names::default();
        let last = (0..100_000).map(|_| names.unique("x")).last();
        assert_eq!(last.unwrap().to_string(), "x_100000");
    }
}
