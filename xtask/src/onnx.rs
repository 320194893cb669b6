//! `cargo xtask onnx`: the official test cases of ONNX, and models that PyTorch exports.

use crate::{Outcome, process, python, workspace};
use std::path::PathBuf;
use std::process::Command;

/// The version whose wheel has the cases; those from 1.23 on have none of single operators.
const PACKAGE: &str = "onnx==1.22.0";
const FAILURES: &str = "crates/burn-onnx/tests/node/failures.txt";
const SOURCE_FAILURES: &str = "crates/burn-onnx/tests/node/source_failures.txt";

/// Script that exports architectures by both exporters of PyTorch.
const EXPORTS: &str = "scripts/onnx_exports.py";

/// Runs the cases on `NdArray` and `Fusion<NdArray>`, or with `--sources` through generated source; with
/// `--fetch-only` it only fetches them. With `--pytorch` the cases are models that PyTorch exports, and the
/// light models with varied weights; with `--export` they are modules that we export.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [first, rest @ ..] if first == "--pytorch" => return exports(rest),
        [first, rest @ ..] if first == "--export" => return exported(rest),
        _ => {}
    }
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
        // Not of its package alone: with the features of the tests it is built already.
        let call = ["run", "--example", "node_tests", "--"];
        let mut command = process::cargo(&call);
        command.arg(&data).arg(FAILURES).args(&rest).args(backend);
        process::run(&mut command)?;
    }
    Ok(())
}

/// Runs the exported models, which are made once: by the interpreter of `--python` or `BURN_BENCH_PYTHON`,
/// which needs torch, onnx, onnxscript and onnxruntime.
fn exports(arguments: &[String]) -> Outcome {
    let folder = workspace::target().join("onnx-exports");
    let (python, rest) = python::chosen(arguments)?;
    if !folder.join("complete").exists() {
        let mut command = Command::new(python);
        process::run(command.arg(workspace::root().join(EXPORTS)).arg(&folder).arg("--light"))?;
        std::fs::write(folder.join("complete"), "").map_err(|error| error.to_string())?;
    }
    for backend in [None, Some("--fusion")] {
        let call = ["run", "--release", "--package", "burn-onnx", "--example", "node_tests", "--"];
        let mut command = process::cargo(&call);
        command.arg(&folder).arg(FAILURES).args(["--exports", "--kinds", "torchscript,dynamo,light"]);
        process::run(command.args(&rest).args(backend))?;
    }
    Ok(())
}

/// Makes the models that are measured beside onnxruntime, unless they are there.
pub(crate) fn bench_models(arguments: &[String]) -> Outcome {
    let folder = workspace::target().join("onnx-exports");
    if folder.join("bench/gpt2/test_data_set_0").exists() {
        return Ok(());
    }
    let (python, _) = python::chosen(arguments)?;
    process::run(Command::new(python).arg(workspace::root().join(EXPORTS)).arg(folder).arg("--bench"))
}

/// Generates a program that has the cases as modules, compiles it and runs it; with `--write` it writes the
/// list of failures.
fn generated(data: &std::path::Path, rest: &[&str]) -> Outcome {
    let folder = workspace::target().join("onnx-sources");
    let (write, rest): (Vec<&str>, Vec<&str>) = rest.iter().partition(|argument| **argument == "--write");
    // Without the part that runs models it compiles in a fraction of the time.
    let call = ["run", "--package", "burn-onnx", "--no-default-features", "--features", "generate"];
    let mut command = process::cargo(&call);
    command.args(["--example", "node_sources", "--"]).arg(data).arg(&folder);
    process::run(command.args([FAILURES, SOURCE_FAILURES]).args(rest))?;
    let mut command = process::cargo(&["run", "--manifest-path"]);
    command.arg(folder.join("Cargo.toml")).arg("--target-dir").arg(workspace::target()).arg("--");
    process::run(command.arg(workspace::root().join(SOURCE_FAILURES)).args(write))
}

/// Exports the modules of the tests and runs them with onnxruntime, by the interpreter of `--python`.
fn exported(arguments: &[String]) -> Outcome {
    let (python, rest) = python::chosen(arguments)?;
    if !rest.is_empty() {
        return Err("expected `onnx --export [--python PATH]`".into());
    }
    let folder = workspace::target().join("onnx-export");
    // Models of an earlier run, which may not be among the cases anymore.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    }
    let call = ["run", "--package", "burn-onnx", "--example", "export_models", "--"];
    process::run(process::cargo(&call).arg(&folder))?;
    let script = workspace::root().join("scripts/onnx_export_check.py");
    process::run(Command::new(python).arg(script).arg(folder))
}

/// The folder of the cases: that of the variable, or of the wheel, which is fetched once.
fn data() -> Outcome<PathBuf> {
    if let Some(folder) = std::env::var_os("BURN_ONNX_DATA") {
        return Ok(folder.into());
    }
    Ok(python::package(PACKAGE, &["--no-deps"])?.join("onnx/backend/test/data"))
}
