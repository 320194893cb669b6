//! Files are short, and the tools of the repository do not grow.

use super::Findings;
use crate::workspace::rust_files;

/// Lines of a file from which on it is named, so that a reader can ask why; nothing fails.
const LONG: usize = 600;

/// Lines of the tools, tests within, and of all crates below `xtask` together, so that none is moved out to
/// make room. The numbers only shrink.
const TOOLS: [(&str, usize); 2] = [("xtask/src/", 7_650), ("xtask/", 10_320)];

pub(super) fn find() -> Findings {
    let files = rust_files(|name| name.starts_with("xtask/"))?;
    let mut findings = Vec::new();
    for (folder, most) in TOOLS {
        let counted = files.iter().filter(|(name, _)| name.starts_with(folder));
        let lines: usize = counted.map(|(_, text)| text.lines().count()).sum();
        if lines > most {
            findings.push(format!("{folder} has {lines} lines, at most {most}"));
        }
    }
    Ok(findings)
}

/// Returns notes on long files.
pub(super) fn long_files() -> Findings {
    let lengths = rust_files(|_| true)?.into_iter().map(|(name, text)| (name, text.lines().count()));
    let long = lengths.filter(|(_, lines)| *lines > LONG);
    Ok(long.map(|(name, lines)| format!("{name} has {lines} lines")).collect())
}
