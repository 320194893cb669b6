//! Names of a model as Rust identifiers.

use std::collections::HashSet;

/// Words that are no identifiers, and names that generated code uses itself.
const TAKEN: [&str; 58] = [
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
}

impl Names {
    /// Returns a unique identifier for a name, with a number added where it is taken.
    pub fn unique(&mut self, name: &str) -> String {
        let base = identifier(name);
        let mut unique = base.clone();
        let mut count = 2;
        while !self.taken.insert(unique.clone()) {
            unique = format!("{base}_{count}");
            count += 1;
        }
        unique
    }
}

/// A name in snake case: `/encoder/Conv_output_0` becomes `encoder_conv`.
pub(super) fn identifier(name: &str) -> String {
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
            assert_eq!(identifier(name), expected, "{name}");
        }
        let mut names = Names::default();
        assert_eq!([names.unique("x"), names.unique("X"), names.unique("x")], ["x", "x_2", "x_3"]);
    }
}
