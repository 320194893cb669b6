//! Functions can be read at once: they have at most 60 lines and seven parameters.
//!
//! Lints of clippy do not say the same (decision 66): `#[cube]` allows kernels more arguments, and
//! `too_many_lines` counts matches that are tables, tests and examples.

use crate::lines::{Lines, at_most};
use repository::{Findings, RustFile, name_at, words};

/// Parameters of a function, `self` among them.
const PARAMETERS: usize = 7;

/// The lint of clippy, which no attribute turns off.
const LINT: &str = "clippy::too_many_arguments";

/// Files that write the lint into source that they generate.
const GENERATORS: [&str; 2] = ["crates/burn-derive/src/config.rs", "crates/burn-onnx/src/generate/file.rs"];

/// Lines of a function, from its first to its closing brace.
const LINES: usize = 60;

/// Functions that may be longer. The number only shrinks.
const LONGER: usize = 2;

/// Lines of an arm below its pattern, and lines around a match, up to which a function is a table.
const TABLE_ARM: usize = 8;

/// Kernels: a loop nest with its registers is one thing.
const KERNELS: [&str; 5] = [
    "crates/burn-cubecl/src/ops/",
    "crates/burn-cubecl-linalg/src/",
    "crates/burn-ndarray/src/kernels/",
    "crates/burn-ndarray/src/elements/",
    "crates/burn-tch/src/attention/kernel.rs",
];

/// Finds functions with too many parameters, and where the lint of clippy is turned off.
pub(crate) fn find_parameters(file: &RustFile) -> Lines {
    let allowed = file.code.match_indices(LINT).filter(|_| !GENERATORS.contains(&file.name.as_str()));
    let allowed = allowed.map(|(at, _)| (file.line_of(at), format!("the lint {LINT} is turned off")));
    let counted = functions(&file.code).map(|(at, signature)| (at, parameters(signature).unwrap_or(0)));
    let long = counted.filter(|(_, count)| *count > PARAMETERS).map(|(at, count)| {
        (file.line_of(at), format!("{count} parameters, at most {PARAMETERS}: group them in a struct"))
    });
    allowed.chain(long).collect()
}

/// Finds the functions that are too long, if there are more than may be.
pub(crate) fn find_long(files: &[RustFile]) -> Findings {
    let mut long = Vec::new();
    for file in files {
        let is_source = file.is_published() || file.name.starts_with("xtask/") && file.name.contains("src/");
        if is_source && file.is_written() && !KERNELS.iter().any(|kernels| file.name.starts_with(kernels)) {
            let found = long_functions(&file.code).into_iter();
            long.extend(found.map(|(line, function, lines)| {
                format!("{}:{line}: `{function}` has {lines} lines", file.name)
            }));
        }
    }
    at_most(LONGER, long, |count| {
        format!("{count} functions are longer than {LINES} lines, at most {LONGER} may")
    })
}

/// The functions of a code: where each begins, and its code from the name on.
fn functions(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let named = words(code).filter(|(_, word)| *word == "fn").map(|(at, _)| (at, &code[at + 2..]));
    named
        .filter_map(|(at, rest)| Some((at, rest.strip_prefix(' ')?)))
        .filter(|(_, rest)| !name_at(rest).is_empty())
}

/// The number of parameters of a function from its name on.
fn parameters(signature: &str) -> Option<usize> {
    let rest = &signature[name_at(signature).len()..];
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
            ',' if depth == 1 => count += usize::from(std::mem::take(&mut is_element)),
            _ => is_element |= !letter.is_whitespace(),
        }
        if depth == 0 {
            return Some((count + usize::from(is_element), at + letter.len_utf8()));
        }
        before = letter;
    }
    None
}

/// Functions of more than [`LINES`] lines that are no tables, by the indentation that rustfmt gives them:
/// line, name and length of each.
fn long_functions(code: &str) -> Vec<(usize, &str, usize)> {
    let mut long = Vec::new();
    for (at, signature) in functions(code) {
        let start = code[..at].rfind('\n').map_or(0, |end| end + 1);
        let indent = indent_of(&code[start..]);
        let ends = |line: &str| indent_of(line) == indent && line.trim_end().ends_with(['}', ';']);
        let Some(end) = code[start..].lines().position(ends) else { continue };
        let body: Vec<&str> = code[start..].lines().take(end + 1).map(str::trim_end).collect();
        if end >= LINES && !is_table(&body, indent) {
            long.push((code[..start].lines().count() + 1, name_at(signature), end + 1));
        }
    }
    long
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a function is a match with short arms and little else.
fn is_table(body: &[&str], indent: usize) -> bool {
    let is_statement = |line: &&str| indent_of(line) == indent + 4 && !line.is_empty();
    let is_match = |line: &&str| is_statement(line) && line.contains("match ") && line.ends_with('{');
    let Some(start) = body.iter().position(is_match) else { return false };
    let Some(length) = body[start + 1..].iter().position(is_statement) else { return false };
    let arms = &body[start + 1..=start + length];
    // Patterns, and braces that close arms.
    let longest = arms.split(|line| indent_of(line) == indent + 8).map(<[_]>::len).max().unwrap_or(0);
    longest <= TABLE_ARM && body.len() - arms.len() <= TABLE_ARM + 2
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
        assert_eq!(functions("(fn(u8, u8) -> u8)").count(), 0);
    }

    #[test]
    fn the_eighth_parameter_is_found() {
        let seven = "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8) {}\n";
        let eight = "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8) {}\n";
        let lines =
            |text: String| find_parameters(&RustFile::new("lib.rs", text)).into_iter().map(|(line, _)| line);
        assert_eq!(lines(seven.to_string()).count(), 0);
        assert!(lines([seven, eight].concat()).eq([2]));
    }

    fn count(code: &str) -> usize {
        long_functions(code).len()
    }

    #[test]
    fn functions_of_more_lines_are_found() {
        let statements = "    call();\n".repeat(59);
        assert_eq!(count(&format!("pub fn f(x: u8) {{\n{statements}}}\n")), 1);
        let inner = statements.replace("    ", "        ");
        assert_eq!(count(&format!("    fn f(\n        x: u8,\n    ) {{\n{inner}    }}\n")), 1);
        assert_eq!(count(&format!("fn f() {{\n{}}}\nfn g() {{}}\n", "    call();\n".repeat(58))), 0);
    }

    #[test]
    fn a_match_with_short_arms_is_a_table() {
        let arms = |body: &str| format!("        A => {{\n{}        }}\n", body).repeat(30);
        let function = |arms: &str| format!("fn f() {{\n    let a = 1;\n    match a {{\n{arms}    }}\n}}\n");
        assert_eq!(count(&function(&arms("            b();\n"))), 0);
        assert_eq!(count(&function(&arms(&"            b();\n".repeat(9)))), 1);
        let before = "    call();\n".repeat(20);
        let table = function(&arms("            b();\n"));
        assert_eq!(count(&table.replace("    let a = 1;\n", &before)), 1);
    }
}
