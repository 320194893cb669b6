//! Functions are short enough to be read at once.

use super::Findings;
use super::source::code;
use crate::workspace::{is_written, rust_files};

/// Lines of a function, from its first to its closing brace.
const LINES: usize = 60;

/// Functions that may be longer. The number only shrinks.
const LONGER: usize = 2;

/// Lines of an arm below its pattern, and lines around a match, up to which a function is a table.
const TABLE_ARM: usize = 8;

/// Kernels: a loop nest with its registers is one thing.
const KERNELS: [&str; 4] = [
    "crates/burn-cubecl/src/ops/",
    "crates/burn-ndarray/src/kernels/",
    "crates/burn-ndarray/src/elements/",
    "crates/burn-tch/src/attention/kernel.rs",
];

pub(super) fn find() -> Findings {
    let mut long = Vec::new();
    let is_counted = |name: &str| {
        let is_source =
            name.starts_with("crates/") && name.contains("/src/") || name.starts_with("xtask/src/");
        is_source && is_written(name) && !KERNELS.iter().any(|kernels| name.starts_with(kernels))
    };
    for (name, text) in rust_files(is_counted)? {
        for Function { line, name: function, lines } in long_functions(&code(&text)) {
            long.push(format!("{name}:{line}: `{function}` has {lines} lines"));
        }
    }
    if long.len() <= LONGER {
        return Ok(Vec::new());
    }
    let title = format!("{} functions are longer than {LINES} lines, at most {LONGER} may", long.len());
    Ok([title].into_iter().chain(long).collect())
}

struct Function {
    line: usize,
    name: String,
    lines: usize,
}

/// Functions of more than [`LINES`] lines that are no tables, by the indentation that rustfmt gives them.
fn long_functions(code: &str) -> Vec<Function> {
    let lines: Vec<&str> = code.lines().map(str::trim_end).collect();
    let mut long = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = indent_of(line);
        let ends = |line: &&str| indent_of(line) == indent && (line.ends_with('}') || line.ends_with(';'));
        let Some(end) = lines[at..].iter().position(ends) else { continue };
        let body = &lines[at..=at + end];
        if body.len() > LINES && !is_table(body, indent) {
            long.push(Function { line: at + 1, name: name.to_string(), lines: body.len() });
        }
    }
    long
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The name of the function that begins at a line.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_qualifier = |word: &str| {
        word.starts_with("pub") || ["const", "async", "unsafe", "extern", "default", "in"].contains(&word)
    };
    let is_declaration = before.split_whitespace().all(|word| is_qualifier(word) || word.ends_with(')'));
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (is_declaration && end > 0).then(|| &after[..end])
}

/// Whether a function is a match with short arms and little else.
fn is_table(body: &[&str], indent: usize) -> bool {
    let is_match =
        |line: &&str| indent_of(line) == indent + 4 && line.contains("match ") && line.ends_with('{');
    let Some(start) = body.iter().position(is_match) else { return false };
    let Some(length) =
        body[start + 1..].iter().position(|line| indent_of(line) == indent + 4 && !line.is_empty())
    else {
        return false;
    };
    let arms = &body[start + 1..=start + length];
    // Patterns, and braces that close arms.
    let is_pattern = |line: &&str| indent_of(line) == indent + 8;
    let longest = arms.split(is_pattern).map(<[_]>::len).max().unwrap_or(0);
    longest <= TABLE_ARM && body.len() - arms.len() <= TABLE_ARM + 2
}

#[cfg(test)]
mod tests {
    use super::*;

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
