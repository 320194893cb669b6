//! Few lines only forward a call: backends that are built on another one implement a method of `Backend` by
//! calling it.

use super::Findings;
use super::source::code;
use crate::workspace::{read, rust_files};
use std::collections::HashSet;

/// File of the trait `Backend`.
const BACKEND: &str = "crates/burn-backend/src/backend.rs";

/// Methods of `Backend`, at most.
const METHODS: usize = 22;

/// Lines of methods that only forward a call. The number only shrinks.
const LINES: usize = 420;

pub(super) fn find() -> Findings {
    let text = read(BACKEND)?;
    let methods: HashSet<&str> = text.lines().filter_map(|line| method(line.strip_prefix("    ")?)).collect();
    let mut findings = Vec::new();
    if methods.len() > METHODS {
        findings.push(format!("{BACKEND}: {} methods, at most {METHODS}", methods.len()));
    }
    let files = rust_files(|name| name.starts_with("crates/") && name.contains("/src/"))?;
    let counts = files.iter().map(|(name, text)| (name, forwarding(&code(text), &methods)));
    let counts: Vec<_> = counts.filter(|(_, lines)| *lines > 0).collect();
    let total: usize = counts.iter().map(|(_, lines)| lines).sum();
    if total > LINES {
        findings.push(format!("{total} lines only forward a call of `Backend`, at most {LINES} may"));
        findings.extend(counts.iter().map(|(name, lines)| format!("{name}: {lines}")));
    }
    Ok(findings)
}

/// Returns the name of the method that a line begins.
fn method(line: &str) -> Option<&str> {
    let name = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Returns the lines of methods whose body is one line that calls a method of the same name.
fn forwarding(code: &str, methods: &HashSet<&str>) -> usize {
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let mut count = 0;
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = method(line).filter(|name| methods.contains(name)) else { continue };
        let Some(length) = lines[at..].iter().position(|line| line.ends_with(['{', ';', '}'])) else {
            continue;
        };
        if let [first, body, "}", ..] = lines[at + length..]
            && first.ends_with('{')
            && body.contains(&format!("::{name}("))
        {
            count += length + 3;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_call_the_same_method_are_counted() {
        let methods = HashSet::from(["seed", "create"]);
        let count = |code| forwarding(code, &methods);
        assert_eq!(count("fn seed(\n    seed: u64,\n) {\n    B::seed(seed)\n}\n"), 5);
        assert_eq!(
            count("fn create() {\n    let x = 1;\n    B::create(x)\n}\nfn seed() {\n    reseed()\n}"),
            0
        );
        assert_eq!(count("fn other() {\n    B::other()\n}\nfn seed(seed: u64);"), 0);
    }
}
