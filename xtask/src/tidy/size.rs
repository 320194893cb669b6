//! Long files are named, so that a reader can ask why; nothing fails.

use super::Findings;
use crate::workspace::{files, relative};
use std::fs;

const LONG: usize = 600;

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for path in files(&["rs"]) {
        let text = fs::read_to_string(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        let lines = text.lines().count();
        if lines > LONG {
            findings.push(format!("{} has {lines} lines", relative(&path)));
        }
    }
    Ok(findings)
}
