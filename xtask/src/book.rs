//! `cargo xtask book`: compiles every snippet of the book, then builds the pages.

use crate::{Outcome, process, workspace};

/// The version the pages were written with.
const MDBOOK: &str = "0.5";

/// Packages that own the files the book includes.
const SOURCES: [&str; 2] = ["book-snippets", "guide"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let build_only = arguments.iter().any(|argument| argument == "--build-only");
    if !build_only {
        for package in SOURCES {
            if workspace::has_package(package)? {
                process::run(&mut process::cargo(&["test", "--quiet", "--package", package]))?;
            } else {
                println!("left out: package `{package}` is not in the workspace yet");
            }
        }
    }
    let book = workspace::root().join("burn-book");
    if !book.exists() {
        println!("left out: there is no book yet");
        return Ok(());
    }
    if !process::is_installed("mdbook") {
        println!(
            "left out: mdbook is not installed; `cargo install mdbook --version ^{MDBOOK} --locked` gets it"
        );
        return Ok(());
    }
    process::run(std::process::Command::new("mdbook").arg("build").arg(book))
}
