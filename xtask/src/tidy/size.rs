//! Long files are named, so that a reader can ask why; nothing fails.

use super::Findings;
use crate::workspace::rust_files;

const LONG: usize = 600;

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for (name, text) in rust_files(|_| true)? {
        let lines = text.lines().count();
        if lines > LONG {
            findings.push(format!("{name} has {lines} lines"));
        }
    }
    Ok(findings)
}
