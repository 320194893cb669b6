//! `cargo xtask programs`: random programs, generated and compared with PyTorch on the spot.

use crate::{Outcome, process, workspace};
use std::process::Command;

const SCRIPT: &str = "scripts/random-programs.py";

/// Runs the generator `--count N --seed S` in the interpreter `--python PATH`, then the comparison.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (mut python, mut count, mut seed) = ("python", "10000", "100000");
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--python" => python = value,
            "--count" => count = value,
            "--seed" => seed = value,
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    if !process::is_installed(python) {
        return Err(format!(
            "cannot start `{python}`: name an interpreter that has torch with --python PATH"
        ));
    }
    let file = workspace::target().join("programs.jsonl");
    let mut generator = Command::new(python);
    generator
        .current_dir(workspace::root())
        .args([SCRIPT, "--count", count, "--seed", seed, "--out"])
        .arg(&file);
    process::run(&mut generator)?;
    let compare = ["run", "--quiet", "--package", "burn-conformance", "--example", "programs", "--"];
    process::run(process::cargo(&compare).arg(&file))
}
