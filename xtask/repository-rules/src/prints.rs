//! A library returns what it has to say; only programs print.

use crate::lines::{Lines, each_line};
use repository::RustFile;

const PRINTS: [&str; 4] = ["println!", "eprintln!", "print!", "eprint!"];

/// The suite of backends is test code: what it prints, the test runner captures.
const SUITE: &str = "crates/burn-conformance/";

pub(crate) fn is_library(file: &RustFile) -> bool {
    let is_program =
        |name: &str| name.contains("/src/bin/") || name.ends_with("/main.rs") || name.ends_with("/tests.rs");
    file.is_published() && !file.name.starts_with(SUITE) && !is_program(&file.name)
}

pub(crate) fn find(file: &RustFile) -> Lines {
    each_line(file.code_before_tests(), |line| {
        let prints = PRINTS.iter().any(|print| line.contains(print));
        prints.then(|| "prints; return it, log it, or write to a given `Write`".to_string())
    })
}
