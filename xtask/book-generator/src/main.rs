//! Generator of the book's code blocks and tables, and the rules of its pages.
//!
//! `book-generator book`, `tables` and `check`; `cargo xtask book`, `tables` and `tidy` call it.

mod book;
mod rules;
mod tables;

use repository::{Outcome, exit_code, rustdoc_json};
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = rustdoc_json::stand_in() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    exit_code(run(&arguments))
}

fn run(arguments: &[&str]) -> Outcome {
    match arguments {
        ["book"] => book::build(true),
        ["book", "--build-only"] => book::build(false),
        ["book", "--expand"] => book::expand(),
        ["tables"] => tables::document().and_then(|()| tables::write()),
        ["tables", "--check"] => tables::document().and_then(|()| tables::check()),
        // After `cargo xtask check` has documented the workspace.
        ["tables", "--check", "--documented"] => tables::check(),
        ["check"] => rules::check(),
        other => Err(format!("unknown arguments {other:?}; `cargo xtask` lists them")),
    }
}
