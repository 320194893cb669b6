//! Few lines only forward a call: backends that are built on another one implement a method of `Backend` by
//! calling it.

use repository::{Findings, RustFile, name_at};
use std::collections::HashSet;

/// File of the trait `Backend`.
const BACKEND: &str = "crates/burn-backend/src/backend.rs";

/// Methods of `Backend`, at most.
const METHODS: usize = 22;

/// Lines of methods that only forward a call. The number only shrinks.
const LINES: usize = 430;

pub(crate) fn find(files: &[RustFile]) -> Findings {
    let backend = files.iter().find(|file| file.name == BACKEND).ok_or(format!("{BACKEND} is not there"))?;
    let methods = backend.text.lines().filter_map(|line| method(line.strip_prefix("    ")?));
    let methods: HashSet<&str> = methods.collect();
    let mut findings = Vec::new();
    if methods.len() > METHODS {
        findings.push(format!("{BACKEND}: {} methods, at most {METHODS}", methods.len()));
    }
    let sources = files.iter().filter(|file| file.is_published());
    let counts = sources.map(|file| (&file.name, forwarding(&file.code, &methods)));
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
    line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ").map(name_at)
}

/// Returns the lines of methods whose body is one line that calls a method of the same name.
fn forwarding(code: &str, methods: &HashSet<&str>) -> usize {
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let forwards = |(at, line): (usize, &&str)| {
        let name = method(line).filter(|name| methods.contains(name))?;
        let length = lines[at..].iter().position(|line| line.ends_with(['{', ';', '}']))?;
        let [first, body, "}", ..] = lines[at + length..] else { return None };
        (first.ends_with('{') && body.contains(&format!("::{name}("))).then_some(length + 3)
    };
    lines.iter().enumerate().filter_map(forwards).sum()
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
