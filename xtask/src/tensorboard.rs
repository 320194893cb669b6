//! `cargo xtask tensorboard`: event files of a run, read by TensorBoard's own reader.

use crate::{Outcome, process, workspace};
use std::path::PathBuf;
use std::process::Command;

/// The package that has the reader, with what it depends on.
const PACKAGE: &str = "tensorboard==2.21.0";

/// The test target, which needs the variable that names an interpreter.
const TEST: &str = "tensorboard";

const PYTHON: &str = "BURN_TENSORBOARD_PYTHON";

/// Fetches TensorBoard by pip unless an interpreter is given that has it, and runs the test.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    // All default members at once, so that the features are those of `cargo test`, and nothing is built
    // again.
    let mut test = process::cargo(&["test", "--test", TEST]);
    match arguments {
        [flag] if flag == "--fetch-only" => return fetch().map(drop),
        [flag, python] if flag == "--python" => test.env(PYTHON, python),
        [] => test.env("PYTHONPATH", fetch()?).env(PYTHON, python()),
        other => return Err(format!("expected `tensorboard [--fetch-only | --python PATH]`, got {other:?}")),
    };
    process::run(&mut test)
}

fn python() -> &'static str {
    if process::is_installed("python3") { "python3" } else { "python" }
}

/// Returns the folder of the package, which is fetched once. One that breaks off leaves nothing that is taken
/// for the whole.
fn fetch() -> Outcome<PathBuf> {
    let folder = workspace::target().join(PACKAGE.replace("==", "-"));
    if !folder.exists() {
        let part = folder.with_extension("part");
        let mut install = Command::new(python());
        install.args(["-m", "pip", "install", "--quiet", "--target"]).arg(&part).arg(PACKAGE);
        process::run(&mut install)?;
        std::fs::rename(&part, &folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    }
    Ok(folder)
}
