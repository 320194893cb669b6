//! `cargo xtask tensorboard`: event files of a run, read by TensorBoard's own reader.

use crate::{Outcome, process, python};

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
        [flag] if flag == "--fetch-only" => return python::package(PACKAGE, &[]).map(drop),
        [flag, interpreter] if flag == "--python" => test.env(PYTHON, interpreter),
        [] => test.env("PYTHONPATH", python::package(PACKAGE, &[])?).env(PYTHON, python::installed()),
        other => return Err(format!("expected `tensorboard [--fetch-only | --python PATH]`, got {other:?}")),
    };
    process::run(&mut test)
}
