//! The rows of the specification about benches, proved by running the program.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_benches"));
    command
        .args(["--rounds", "1", "--filter", "add 16"])
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("burn-benches-{}-{name}", std::process::id()))
}

fn path(path: &Path) -> &str {
    path.to_str().expect("the folder for temporary files has a readable name")
}

#[test]
fn be_001_the_suite_compares_backends_and_writes_figures_for_programs() {
    let out = temporary("be-001.json");
    let output = bench(&["--out", path(&out)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("NdArray") && table.contains("Autodiff, tracked"), "{table}");
    let rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    std::fs::remove_file(&out).unwrap();
    assert!(rows.len() >= 3);
    for row in rows {
        assert_eq!(row["workload"], "add 16");
        assert!(row["median"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["median"].as_f64() >= row["lowest"].as_f64(), "{row}");
    }
}

#[test]
fn be_002_a_workload_that_became_slower_than_tolerated_fails_the_run() {
    let old = temporary("be-002.json");
    let was = |nanoseconds: f64| {
        let row = json!({ "workload": "add 16", "contender": "NdArray", "unit": "ns", "median": nanoseconds, "lowest": 1.0 });
        std::fs::write(&old, json!([row]).to_string()).unwrap();
        bench(&["--compare", path(&old), "--tolerance", "1.5"])
    };
    let slower = was(1e-3);
    let faster = was(1e12);
    std::fs::remove_file(&old).unwrap();
    assert!(!slower.status.success());
    assert!(String::from_utf8_lossy(&slower.stderr).contains("slower than before: add 16"));
    assert!(faster.status.success(), "{}", String::from_utf8_lossy(&faster.stderr));
    assert!(String::from_utf8_lossy(&faster.stdout).contains("now/then"));
}

/// A prepared folder with a model of the tests of burn-onnx, as `onnxruntime/folder.py` writes it. The case
/// `output` has the outputs that are expected.
fn prepared(name: &str, output: &str) -> PathBuf {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/burn-onnx/tests/models/voice");
    let folder = temporary(name);
    let data = folder.join("bench/voice/test_data_set_0");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::copy(models.join("model.onnx"), folder.join("bench/voice/model.onnx")).unwrap();
    for place in 0..3 {
        let copy = |case: &str, kind: &str| {
            let file = format!("{kind}_{place}.pb");
            std::fs::copy(models.join(case).join(&file), data.join(&file)).unwrap();
        };
        copy("case_0", "input");
        copy(output, "output");
    }
    folder
}

fn bench_folder(folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_benches"));
    command.args(["--rounds", "1", "--onnx", path(folder)]).env("BURN_ONNX_EXPORTS", folder);
    let output = command.output().expect("the program starts");
    std::fs::remove_dir_all(folder).unwrap();
    output
}

#[test]
fn models_of_a_folder_are_measured_when_their_outputs_are_those_of_onnxruntime() {
    let output = bench_folder(&prepared("folder", "case_0"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("onnx voice") && table.contains("recorded"), "{table}");
}

#[test]
fn a_model_with_other_outputs_is_named_and_not_measured() {
    let output = bench_folder(&prepared("other", "case_1"));
    assert!(!output.status.success());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("onnx voice: output `speech` differs by"), "{error}");
}

#[test]
fn the_kept_pages_are_made_of_the_kept_figures() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let files = std::fs::read_dir(&results).unwrap().map(|entry| entry.unwrap().path());
    for figures in files.filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let made = temporary("kept.md");
        let output = bench(&["--show", path(&figures), "--page", path(&made)]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let page = std::fs::read_to_string(&made).unwrap();
        std::fs::remove_file(&made).unwrap();
        let kept = std::fs::read_to_string(figures.with_extension("md")).unwrap();
        assert_eq!(
            page,
            kept,
            "make it again: cargo xtask bench --show {0}.json --page {0}.md",
            figures.with_extension("").display()
        );
    }
}
