//! `cargo xtask check`: what CI asks of every change, cheapest first.

use crate::process::cargo;
use crate::{Outcome, no_std, process, tidy};

/// The baseline of candle compiles; in all steps, so that what they share is built once.
const CANDLE: [&str; 2] = ["--features", "benches/candle"];

pub(crate) fn run() -> Outcome {
    run_step("formatting", || process::run(&mut cargo(&["fmt", "--all", "--check"])))?;
    run_step("repository rules", tidy::run)?;
    run_step("lints", || {
        let mut clippy = cargo(&["clippy", "--workspace", "--all-targets", "--quiet"]);
        process::run(clippy.args(CANDLE).args(["--", "-D", "warnings"]))
    })?;
    run_step("crates without std", no_std::run)?;
    run_step("documentation", || {
        let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
        process::run(doc.args(CANDLE).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    println!("\ncheck: all passed");
    Ok(())
}

fn run_step(what: &str, step: impl FnOnce() -> Outcome) -> Outcome {
    println!("\n== {what}");
    let start = std::time::Instant::now();
    step()?;
    println!("{what}: passed in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
