//! Commands that are programs of their own below `xtask/`, so that this one is built in seconds.

use crate::{Outcome, process};

/// Runs a program of the workspace, which prints the reason of a failure itself.
pub(crate) fn run(package: &str, arguments: &[&str]) -> Outcome {
    let mut command = process::cargo(&["run", "--quiet", "--package", package, "--"]);
    let status =
        command.args(arguments).status().map_err(|cause| format!("cannot run {package}: {cause}"))?;
    if status.success() { Ok(()) } else { Err(format!("{package} failed")) }
}

/// The rules of the repository, and those of its book.
pub(crate) fn tidy() -> Outcome {
    let rules = run("repository-rules", &[]);
    run("book-generator", &["check"]).and(rules)
}

/// Writes the tables of the book, or with `--check` compares them with the documentation.
pub(crate) fn tables(arguments: &[&str]) -> Outcome {
    run("book-generator", &[&["tables"], arguments].concat())
}

/// Compiles the snippets of the book and builds its pages, or writes what they include.
pub(crate) fn book(arguments: &[&str]) -> Outcome {
    run("book-generator", &[&["book"], arguments].concat())
}
