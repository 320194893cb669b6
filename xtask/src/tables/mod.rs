//! `cargo xtask tables`: the page of the book that says what each operation is called in PyTorch.
//!
//! The one source is the documentation of the public functions of `burn-tensor`: its sentence
//! ``PyTorch: `torch.x`.``, or `PyTorch has no counterpart.`. A function with neither is a mistake, and so is a page
//! that the sources no longer give.

mod counterpart;
mod macros;
mod operation;
mod page;
mod sources;

use crate::{Outcome, workspace};
use operation::Operation;
use std::fs;
use std::path::PathBuf;

const SOURCES: &str = "crates/burn-tensor/src";
const PAGE: &str = "burn-book/src/tensor/operations.md";

pub(crate) fn run() -> Outcome {
    let operations = operations()?;
    let silent = silent(&operations);
    if !silent.is_empty() {
        return Err(format!("{}\n{} functions say nothing about PyTorch", silent.join("\n"), silent.len()));
    }
    fs::write(path(), page::write(&operations)).map_err(|cause| format!("{PAGE}: {cause}"))?;
    println!("{PAGE}: {} operations", operations.len());
    Ok(())
}

/// What is wrong, for `cargo xtask check`.
pub(crate) fn find() -> Outcome<Vec<String>> {
    let operations = operations()?;
    let mut findings = silent(&operations);
    let page = fs::read_to_string(path()).unwrap_or_default();
    if page != page::write(&operations) {
        findings.push(format!("{PAGE} is not what the sources say: run `cargo xtask tables`"));
    }
    Ok(findings)
}

fn path() -> PathBuf {
    workspace::root().join(PAGE)
}

fn operations() -> Outcome<Vec<Operation>> {
    let folder = workspace::root().join(SOURCES);
    let paths = workspace::files(&["rs"]).into_iter().filter(|path| path.starts_with(&folder));
    let mut files = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        let place = path.strip_prefix(&folder).expect("it is below").with_extension("");
        files.push((place.to_string_lossy().replace('\\', "/"), text));
    }
    sources::read(&files)
}

fn silent(operations: &[Operation]) -> Vec<String> {
    let silent = operations.iter().filter(|operation| operation.counterpart.is_none());
    silent
        .map(|operation| {
            let Operation { file, name, .. } = operation;
            format!(
                "{SOURCES}/{file}.rs: `{name}` needs \"PyTorch: `..`.\" or \"PyTorch has no counterpart.\""
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bo_010_the_tables_of_equivalents_are_in_the_book_and_whole() {
        let page = fs::read_to_string(path()).unwrap();
        for title in [
            "Creation",
            "every kind",
            "Numeric",
            "Float",
            "Int",
            "Bool",
            "Gradients",
            "`activation`",
            "`module`",
        ] {
            let heading = |line: &str| line.starts_with("## ") && line.contains(title);
            assert!(page.lines().any(heading), "no table of {title}");
        }
        let summary = fs::read_to_string(workspace::root().join("burn-book/src/SUMMARY.md")).unwrap();
        assert!(summary.contains(PAGE.trim_start_matches("burn-book/src/")));
        assert_eq!(find().unwrap(), [""; 0]);
    }
}
