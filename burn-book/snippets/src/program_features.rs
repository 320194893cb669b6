//! Checks that the comments `cargo add ..` at the start of each program name the features and crates that it
//! needs in a new package.

use std::fs;
use std::path::Path;

/// Names and paths in programs, and the feature or the crate that has them. Default features are not listed.
const NEEDS: [(&str, &str); 17] = [
    ("Amp", "amp"),
    ("Capture", "capture"),
    ("Fusion", "fusion"),
    ("Graph", "onnx-run"),
    ("OnnxExport", "onnx-export"),
    ("Profile", "profile"),
    ("RemoteBackend", "remote"),
    ("axum", "axum"),
    ("burn_import", "crates/burn-import"),
    ("burn::collective", "collective"),
    ("from_csv_file", "csv"),
    ("burn::lm", "lm"),
    ("minimal_backend", "examples/minimal-backend"),
    ("burn::server", "server"),
    ("serde", "serde"),
    ("tokio", "tokio"),
    ("burn::train", "train"),
];

/// Checks that a program names all that it needs and nothing else.
fn check(program: &str) -> Result<(), String> {
    let (added, code): (Vec<&str>, Vec<&str>) =
        program.lines().partition(|line| line.starts_with("// cargo add "));
    let code: Vec<&str> = code.into_iter().filter(|line| !line.trim_start().starts_with("//")).collect();
    let separates = |c: char| !c.is_alphanumeric() && c != '_';
    // A path, or a name.
    let uses = |word: &str| {
        let is_name = |line: &str| line.split(separates).any(|name| name == word);
        code.iter().any(|line| if word.contains("::") { line.contains(word) } else { is_name(line) })
    };
    let names = |need: &str| {
        added
            .iter()
            .flat_map(|line| line.split([' ', ',']))
            .any(|name| name == need || name.ends_with(&format!("/{need}")))
    };
    for (word, need) in NEEDS {
        if uses(word) != names(need) {
            return Err(format!("`{word}` of `{need}`: used {}, named {}", uses(word), names(need)));
        }
    }
    Ok(())
}

#[test]
fn x_701_programs_name_what_they_need() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/programs");
    for entry in fs::read_dir(folder).expect("the programs are there") {
        let path = entry.expect("the folder can be read").path();
        let program = fs::read_to_string(&path).expect("a program is text");
        // Those of the guide belong to its package, whose page names what it needs.
        if path.ends_with("mod.rs") || program.contains("guide") {
            continue;
        }
        let program = program.split("// ANCHOR_END").next().unwrap_or_default();
        check(program).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()));
    }
}

#[test]
fn a_program_without_its_features_is_found() {
    let program = "use burn::backend::Fusion;\nfn main() {}\n";
    assert!(check(program).unwrap_err().contains("fusion"));
    assert_eq!(
        check(&format!("// cargo add --path ../burn/crates/burn --features fusion\n{program}")),
        Ok(())
    );
    assert!(check("// cargo add axum\nfn main() {}\n").unwrap_err().contains("axum"));
}
