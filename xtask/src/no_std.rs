//! `cargo xtask no-std`: the crates that promise to do without the standard library.

use crate::{Outcome, process, workspace};
use std::fs;

/// These promise `#![no_std]` and `alloc` when their default feature `std` is off.
const CRATES: [&str; 8] = [
    "burn-ir",
    "burn-backend",
    "burn-tensor",
    "burn-ndarray",
    "burn-autodiff",
    "burn-core",
    "burn-nn",
    "burn-optim",
];

pub(crate) fn run() -> Outcome {
    let packages = workspace::packages()?;
    let mut left_out = Vec::new();
    for name in CRATES {
        let Some(package) = packages.iter().find(|package| package.name == name) else {
            left_out.push(format!("{name}: not in the workspace yet"));
            continue;
        };
        let root = fs::read_to_string(package.folder.join("src/lib.rs")).unwrap_or_default();
        if !root.contains("no_std") {
            left_out.push(format!("{name}: its root does not declare `no_std` yet"));
            continue;
        }
        process::run(&mut process::cargo(&["check", "--quiet", "--no-default-features", "--package", name]))?;
    }
    for reason in &left_out {
        println!("left out: {reason}");
    }
    Ok(())
}
