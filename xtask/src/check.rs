//! `cargo xtask check`: what CI asks of every change, cheapest first.

use crate::process::cargo;
use crate::{Outcome, facade_docs, libtorch, no_std, process, rustdoc_json, tool, workspace};
use std::env::consts::EXE_EXTENSION;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// The baseline of candle compiles; in all steps, so that what they share is built once.
const CANDLE: [&str; 2] = ["--features", "benches/candle"];

pub(crate) fn run() -> Outcome {
    run_step("formatting", || process::run(&mut cargo(&["fmt", "--all", "--check"])))?;
    run_step("repository rules", tool::tidy)?;
    run_step("lints", || {
        let mut clippy = cargo(&["clippy", "--workspace", "--all-targets", "--quiet"]);
        process::run(with_leaves(&mut clippy).args(["--", "-D", "warnings"]))
    })?;
    run_step("crates without std", no_std::run)?;
    run_step("documentation", || {
        let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
        process::run(rustdoc_json::with_json(with_leaves(&mut doc).envs(linting()?))?)?;
        facade_docs::check(&workspace::target().join("doc"))?;
        tool::tables(&["--check", "--documented"])
    })?;
    println!("\ncheck: all passed");
    Ok(())
}

/// The variables that `cargo clippy` sets: with them the crates below a documented one are those that were
/// linted, and are not checked once more.
fn linting() -> Outcome<[(&'static str, OsString); 2]> {
    let sysroot = process::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let driver = Path::new(sysroot.trim()).join("bin/clippy-driver").with_extension(EXE_EXTENSION);
    let arguments = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";
    Ok([("RUSTC_WORKSPACE_WRAPPER", driver.into()), ("CLIPPY_ARGS", arguments.into())])
}

/// The backend over LibTorch is among the crates where its library is there.
fn with_leaves(command: &mut Command) -> &mut Command {
    command.args(CANDLE);
    match libtorch::variables() {
        Some(variables) => command.envs(variables),
        None => {
            println!("left out: burn-tch, whose library is not there (cargo xtask libtorch)");
            command.args(["--exclude", "burn-tch"])
        }
    }
}

fn run_step(what: &str, step: impl FnOnce() -> Outcome) -> Outcome {
    println!("\n== {what}");
    let start = std::time::Instant::now();
    step()?;
    println!("{what}: passed in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

#[cfg(test)]
mod tests {
    /// Pages of programs and tools, which have no readers, would be a third of the time of the documentation.
    #[test]
    fn libraries_that_are_not_published_are_not_documented() {
        let metadata = crate::packages::metadata().unwrap();
        for package in metadata["packages"].as_array().unwrap() {
            let is_published = package["publish"] != serde_json::json!([]);
            for target in package["targets"].as_array().unwrap() {
                let kind = target["kind"][0].as_str().unwrap();
                if ["lib", "rlib", "cdylib"].contains(&kind) {
                    assert_eq!(target["doc"], is_published, "`doc` in {}", package["manifest_path"]);
                }
            }
        }
    }

    /// Through the backend they would reach every kernel, and their binary would have them all: 155 seconds
    /// of processor time where it takes 63 (decision 62).
    #[test]
    fn unit_tests_of_the_cpu_backend_call_kernels() {
        let folder = crate::workspace::root().join("crates/burn-ndarray/src");
        for path in crate::workspace::files(&["rs"]).iter().filter(|path| path.starts_with(&folder)) {
            let text = std::fs::read_to_string(path).unwrap();
            let tests = text.find("#[cfg(test)]").map_or("", |start| &text[start..]);
            assert!(!tests.contains("NdArray"), "{} has tests of the backend", path.display());
        }
    }
}
