//! A function has at most seven parameters. Clippy says so too, but not of kernels: `#[cube]` allows more.

use super::Findings;
use super::source::code;
use crate::workspace::{is_written, rust_files};

/// Parameters of a function, `self` among them.
const MOST: usize = 7;

/// The lint of clippy, which no attribute turns off.
const LINT: &str = "clippy::too_many_arguments";

/// Files that write the lint into source that they generate.
const GENERATORS: [&str; 2] = ["crates/burn-derive/src/config.rs", "crates/burn-onnx/src/generate/file.rs"];

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for (name, text) in rust_files(is_written)? {
        let code = code(&text);
        let line = |at: usize| code[..at].matches('\n').count() + 1;
        if !GENERATORS.contains(&&name[..]) {
            let allowed = code.match_indices(LINT).map(|(at, _)| line(at));
            findings.extend(allowed.map(|line| format!("{name}:{line}: the lint {LINT} is turned off")));
        }
        findings.extend(long_lists(&code).into_iter().map(|(at, count)| {
            format!("{}:{}: {count} parameters, at most {MOST}: group them in a struct", name, line(at))
        }));
    }
    Ok(findings)
}

/// Functions with too many parameters: where each is, and how many it has.
fn long_lists(code: &str) -> Vec<(usize, usize)> {
    let functions = code.match_indices("fn ").filter(|&(at, _)| !code[..at].ends_with(is_of_name));
    let counted = functions.filter_map(|(at, _)| Some((at, parameters(&code[at + "fn ".len()..])?)));
    counted.filter(|&(_, count)| count > MOST).collect()
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The number of parameters of a function from its name on.
fn parameters(signature: &str) -> Option<usize> {
    let rest = signature.trim_start_matches(is_of_name);
    if rest.len() == signature.len() {
        return None;
    }
    // Type parameters are a list of their own.
    let rest = if rest.starts_with('<') { &rest[list(rest)?.1..] } else { rest };
    if rest.starts_with('(') { Some(list(rest)?.0) } else { None }
}

/// Elements of a list in brackets, with which `text` begins, and where it ends.
fn list(text: &str) -> Option<(usize, usize)> {
    let (mut depth, mut count, mut is_element, mut before) = (0, 0, false, ' ');
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => {
                is_element |= depth > 0;
                depth += 1;
            }
            // The `>` of an arrow ends no list.
            '>' if matches!(before, '-' | '=') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 1 => {
                count += usize::from(is_element);
                is_element = false;
            }
            _ => is_element |= !letter.is_whitespace(),
        }
        if depth == 0 {
            return Some((count + usize::from(is_element), at + letter.len_utf8()));
        }
        before = letter;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_and_not_commas() {
        assert_eq!(parameters("none() {}"), Some(0));
        assert_eq!(parameters("one(self) -> (u8, u8)"), Some(1));
        assert_eq!(
            parameters("two<const N: usize, F: Fn(u8, u8) -> u8>(\n    f: F,\n    x: [u8; N],\n) {"),
            Some(2)
        );
        assert_eq!(parameters("three(&self, (a, b): (u8, u8), map: HashMap<u8, Vec<u8>>)"), Some(3));
        assert_eq!(parameters("(u8, u8) -> u8"), None);
    }

    #[test]
    fn the_eighth_parameter_is_found() {
        let seven = "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8) {}\n";
        let eight = "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8) {}\n";
        assert_eq!(long_lists(seven), []);
        assert_eq!(long_lists(&[seven, eight].concat()), [(seven.len(), 8)]);
    }
}
