//! Whole programs of pages: what one prints is the block that follows it in its page.
//!
//! Tests of crates whose programs need a library have this file by its path. Their folders are two levels
//! below the root of the repository too.

use burn_conformance::again::again;
use std::any::type_name_of_val;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Termination};

const BEGIN: &str = "--- output of the program ---";
const END: &str = "--- end of the output ---";

/// Compares the output of the module's `main` with a page, below `burn-book/src`. Further arguments are files
/// below the root of the repository, which are copied to where the program runs.
macro_rules! page_prints {
    ($page:literal $(, $file:literal)*) => {{
        fn inner() {}
        crate::page_output::check($page, file!(), &inner, &[$($file),*], main)
    }};
}
pub(crate) use page_prints;

/// Runs a program in a process and a folder of its own, and compares what it prints with the first `text`
/// block after its include in the page. `inner` is a function of the test, whose name starts with that of
/// the test.
pub(crate) fn check<F, T: Termination>(page: &str, source: &str, inner: &F, files: &[&str], main: fn() -> T) {
    let test = type_name_of_val(inner).trim_end_matches("::inner");
    let Some(output) = again(test, &[]) else {
        return run(files, main);
    };
    let printed = between(&output, BEGIN, END).expect("the program ran to its end");
    // Errors name the line of the caller, which a reader has in another file.
    let printed = printed.replace(source, "src/main.rs");
    let text = fs::read_to_string(root().join("burn-book/src").join(page)).expect("the page is there");
    let name =
        Path::new(source).file_name().and_then(|name| name.to_str()).expect("a source file has a name");
    let expected = expected(&text, name).unwrap_or_else(|| {
        panic!("{page}: no `text` block follows the program of {name}, which prints:\n{printed}")
    });
    assert!(
        fits(&expected, &printed),
        "{page}: the program of {name} prints\n{printed}\nand the page says\n{expected}"
    );
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The program itself, between marks, in a folder that has the files.
fn run<T: Termination>(files: &[&str], main: fn() -> T) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for file in files {
        let name = Path::new(file).file_name().expect("a file has a name");
        fs::copy(root().join(file), folder.path().join(name)).expect("the file is in the repository");
    }
    env::set_current_dir(folder.path()).expect("the folder was just made");
    println!("\n{BEGIN}");
    let result = main().report();
    println!("\n{END}");
    env::set_current_dir(root()).expect("the repository is there");
    assert_eq!(result, ExitCode::SUCCESS);
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, text) = text.split_once(begin)?;
    text.split_once(end).map(|(text, _)| text.trim_matches('\n'))
}

/// The first `text` block after the whole program of a file.
fn expected(page: &str, file: &str) -> Option<String> {
    let is_program =
        |line: &&str| line.starts_with("<!-- include: ") && line.ends_with(&format!("/{file}:program -->"));
    let mut lines = page.lines().skip_while(|line| !is_program(line)).skip_while(|line| *line != "```text");
    lines.next()?;
    Some(lines.take_while(|line| *line != "```").collect::<Vec<_>>().join("\n"))
}

/// Whether a program printed what is expected, line by line. `…` in a line stands for any text, such as a
/// duration, and a line that is `…` alone for any number of lines.
fn fits(expected: &str, printed: &str) -> bool {
    let expected: Vec<&str> = expected.lines().collect();
    let printed: Vec<&str> = printed.lines().collect();
    lines_fit(&expected, &printed)
}

fn lines_fit(expected: &[&str], printed: &[&str]) -> bool {
    match expected {
        [] => printed.is_empty(),
        ["…", rest @ ..] => (0..=printed.len()).any(|skipped| lines_fit(rest, &printed[skipped..])),
        [line, rest @ ..] => {
            printed.first().is_some_and(|first| line_fits(line, first)) && lines_fit(rest, &printed[1..])
        }
    }
}

fn line_fits(expected: &str, printed: &str) -> bool {
    let Some((start, rest)) = expected.split_once('…') else { return expected == printed };
    let Some(printed) = printed.strip_prefix(start) else { return false };
    (0..=printed.len()).filter_map(|at| printed.get(at..)).any(|printed| line_fits(rest, printed))
}

#[test]
fn the_output_of_another_program_does_not_fit() {
    assert!(fits("a\nb … s\n…\nz", "a\nb 1.5 s\nc\nd\nz") && fits("a\n…", "a"));
    for printed in ["a", "a\nb 1.5 ms\nz", "b 1.5 s\nz", "a\nb 1.5 s\nz\ny"] {
        assert!(!fits("a\nb … s\n…\nz", printed), "{printed}");
    }
}

#[test]
fn the_output_is_the_block_after_the_program() {
    let page =
        "```text\nno\n```\n<!-- include: ../p/a.rs:program -->\n```rust\nx\n```\n\n```text\n1\n2\n```\n";
    assert_eq!(expected(page, "a.rs").as_deref(), Some("1\n2"));
    assert_eq!(expected(page, "b.rs"), None);
}
