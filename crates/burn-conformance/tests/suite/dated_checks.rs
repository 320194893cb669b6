//! Checks that take too long for every change have dated results in `docs/nightly.md`.

use super::files::Files;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The cells of each row of a table, by its section.
fn rows<'a>(document: &'a str, section: &str) -> Vec<Vec<&'a str>> {
    let heading = format!("## {section}");
    let lines = document.lines().skip_while(|line| *line != heading).skip(1);
    let rows = lines.take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| "));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect()
}

fn is_date(text: &str) -> bool {
    let numbers: Vec<Option<u32>> = text.split('-').map(|part| part.parse().ok()).collect();
    matches!(numbers[..], [Some(2026..), Some(1..=12), Some(1..=31)])
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Files of all crates, with the name of their crate.
fn files_of_crates() -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap().map(Result::unwrap) {
        let mut found = Vec::new();
        sources(&entry.path().join("src"), &mut found);
        let name = entry.file_name().into_string().unwrap();
        files.extend(found.into_iter().map(|file| (name.clone(), file)));
    }
    files
}

/// Whether a line of code, not of a comment, has the keyword.
fn has_unsafe(source: &str) -> bool {
    let code =
        source.lines().map(str::trim_start).filter(|line| !line.starts_with("//") && !line.starts_with('"'));
    let mut code =
        code.flat_map(|line| ["unsafe {", "unsafe fn ", "unsafe impl "].map(|form| line.contains(form)));
    code.any(|found| found)
}

#[test]
fn x_703_miri_loom_and_fuzzing_have_dated_results() {
    let document = fs::read_to_string(root().join("docs/nightly.md")).unwrap();

    // Crates with `unsafe`: their tests ran under Miri, or the reason why they cannot is there.
    let (run, left_out) = (rows(&document, "Miri"), rows(&document, "Left out of Miri"));
    assert!(run[1..].iter().all(|row| row.len() == 4 && is_date(row[2])), "{run:?}");
    let files = files_of_crates();
    let with_unsafe =
        files.iter().filter(|(_, file)| has_unsafe(&fs::read_to_string(file).unwrap())).map(|(name, _)| name);
    let mut with_unsafe: Vec<&String> = with_unsafe.collect();
    with_unsafe.dedup();
    assert!(with_unsafe.len() > 5, "{with_unsafe:?}");
    for name in with_unsafe {
        let is_there = |rows: &[Vec<&str>]| rows.iter().any(|row| row[0] == name);
        assert!(
            is_there(&run) || is_there(&left_out),
            "docs/nightly.md: {name} has `unsafe` and is in no table"
        );
    }

    // Models of threads.
    let models = rows(&document, "Loom");
    for (name, file) in &files {
        for test in loom_tests(&fs::read_to_string(file).unwrap()) {
            let row = models.iter().find(|row| row[0] == name && row[1] == test);
            let row =
                row.unwrap_or_else(|| panic!("docs/nightly.md: no result of the model `{test}` of {name}"));
            assert!(is_date(row[2]), "{row:?}");
        }
    }

    // Readers of files.
    let fuzzed = rows(&document, "Fuzzing of readers");
    for reader in Files::new(16, "").unwrap().readers() {
        let row = fuzzed.iter().find(|row| row[0] == reader);
        let row = row.unwrap_or_else(|| panic!("docs/nightly.md: no result of the reader `{reader}`"));
        let counts: Vec<u64> = row[1..3].iter().map(|count| count.parse().unwrap()).collect();
        assert!(counts.iter().sum::<u64>() > 1000 && is_date(row[3]), "{row:?}");
    }
}

#[test]
fn x_703_features_packages_and_other_processors_have_dated_results() {
    let document = fs::read_to_string(root().join("docs/nightly.md")).unwrap();
    let script = fs::read_to_string(root().join("scripts/nightly")).unwrap();
    let results = rows(&document, "Features, packages, processors");
    for check in ["features", "aarch64", "deny"] {
        assert!(script.contains(&format!("\n{check}() {{")), "scripts/nightly has no part `{check}`");
        let row = results.iter().find(|row| row[0] == check);
        let row = row.unwrap_or_else(|| panic!("docs/nightly.md: no result of `scripts/nightly {check}`"));
        assert!(is_date(row[2]) && row[3].contains("passed"), "{row:?}");
    }
}

/// Names of the tests of a file in a module of models.
fn loom_tests(source: &str) -> Vec<&str> {
    let Some((_, models)) = source.split_once("mod loom_tests {") else { return Vec::new() };
    let tests = models.split("#[test]\n    fn ").skip(1);
    tests.map(|test| test.split_once('(').unwrap().0).collect()
}
