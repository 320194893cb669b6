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
