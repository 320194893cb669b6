//! Pages of the book: what they include is written into them.

mod anchor;
pub(crate) mod block;
mod imports;
pub(crate) mod page;

use repository::{Outcome, process, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version the pages were written with.
const MDBOOK: &str = "0.5";

/// Packages that own the files the book includes.
const SOURCES: [&str; 2] = ["book-snippets", "guide"];

/// Builds the pages, after the snippets were compiled if `with_snippets`.
pub(crate) fn build(with_snippets: bool) -> Outcome {
    if with_snippets {
        for package in SOURCES {
            process::run(&mut process::cargo(&["test", "--quiet", "--package", package]))?;
        }
    }
    if !process::is_installed("mdbook") {
        println!(
            "left out: mdbook is not installed; `cargo install mdbook --version ^{MDBOOK} --locked` gets it"
        );
        return Ok(());
    }
    process::run(Command::new("mdbook").arg("build").arg(workspace::root().join("burn-book")))
}

/// Writes into each page what it includes.
pub(crate) fn expand() -> Outcome {
    let mut changed = 0;
    for path in pages() {
        let text = workspace::read(&path)?;
        let expanded = expanded(&path, &text)?;
        if expanded != text {
            fs::write(&path, expanded).map_err(|cause| format!("{}: {cause}", path.display()))?;
            println!("{}", workspace::relative(&path));
            changed += 1;
        }
    }
    println!("{changed} pages changed");
    Ok(())
}

/// Returns a page with what it includes.
pub(crate) fn expanded(path: &Path, text: &str) -> Outcome<String> {
    let folder = path.parent().expect("a page lies in a folder");
    page::expand(text, folder).map_err(|reason| format!("{}: {reason}", workspace::relative(path)))
}

/// Returns the pages of the book.
pub(crate) fn pages() -> Vec<PathBuf> {
    let book = workspace::root().join("burn-book/src");
    workspace::files(&["md"]).into_iter().filter(|path| path.starts_with(&book)).collect()
}
