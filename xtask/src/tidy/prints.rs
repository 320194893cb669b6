//! A library returns what it has to say; only programs print.

use super::Findings;
use super::source::code;
use crate::workspace::rust_files;

const PRINTS: [&str; 4] = ["println!", "eprintln!", "print!", "eprint!"];

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for (name, text) in rust_files(is_library)? {
        let code = code(&text);
        let tested = code.find("#[cfg(test)]").unwrap_or(code.len());
        for (at, line) in code[..tested].lines().enumerate() {
            if PRINTS.iter().any(|print| line.contains(print)) {
                findings.push(format!(
                    "{name}:{}: prints; return it, log it, or write to a given `Write`",
                    at + 1
                ));
            }
        }
    }
    Ok(findings)
}

/// The suite of backends is test code: what it prints, the test runner captures.
const SUITE: &str = "crates/burn-conformance/";

/// Sources of the crates, without their programs and tests.
fn is_library(name: &str) -> bool {
    name.starts_with("crates/")
        && !name.starts_with(SUITE)
        && name.contains("/src/")
        && !name.contains("/src/bin/")
        && !name.ends_with("/main.rs")
        && !name.ends_with("/tests.rs")
}
