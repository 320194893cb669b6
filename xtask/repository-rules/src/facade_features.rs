//! The tables of features on the front page of the facade's documentation and in the book, and the features
//! that docs.rs builds with.

use repository::{Findings, workspace};

const MANIFEST: &str = "crates/burn/Cargo.toml";
const TABLE: &str = "crates/burn/features.md";
const BOOK_TABLE: &str = "burn-book/src/features-table.md";
const BOOK_HEAD: &str = "| feature | what it adds |\n|---|---|\n";

pub(crate) fn find() -> Findings {
    let manifest = workspace::read(MANIFEST)?;
    let (rows, mut findings) = rows(&manifest);
    for (table, expected) in [(TABLE, rows.concat()), (BOOK_TABLE, BOOK_HEAD.to_string() + &rows.concat())] {
        if workspace::read(table)? != expected {
            findings
                .push(format!("{table} differs from the features of {MANIFEST}; it should be:\n{expected}"));
        }
    }
    if !manifest.contains("[package.metadata.docs.rs]") {
        findings.push(format!("{MANIFEST} does not say with which features docs.rs builds"));
    }
    Ok(findings)
}

/// A row for each feature, from the comment above it; and features without one.
fn rows(manifest: &str) -> (Vec<String>, Vec<String>) {
    let section = manifest.split("[features]\n").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    let (mut rows, mut findings, mut comment) = (Vec::new(), Vec::new(), Vec::new());
    for line in section.lines() {
        if let Some(text) = line.strip_prefix("# ") {
            comment.push(text);
        } else if let Some((name, _)) = line.split_once(" = [") {
            match (name, comment.is_empty()) {
                ("default", _) => {}
                (name, true) => findings.push(format!("{MANIFEST}: the feature {name} has no comment")),
                (name, false) => rows.push(format!("| `{name}` | {} |\n", comment.join(" "))),
            }
            comment.clear();
        }
    }
    (rows, findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_comment_above_the_feature() {
        let manifest = "[features]\ndefault = [\"a\"]\n# The first\n# of them.\na = [\n    \"x\",\n]\nb = []\n\n[dependencies]\n";
        let (rows, findings) = rows(manifest);
        assert_eq!(rows, ["| `a` | The first of them. |\n"]);
        assert_eq!(findings.len(), 1);
    }
}
