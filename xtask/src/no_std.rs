//! `cargo xtask no-std`: the crates that promise to do without the standard library.
//!
//! They are built without their feature `std`. That does not see a dependency that brings the standard
//! library in, so a package with a panic handler of its own is built on top of all of them. It has networks
//! that were generated from ONNX models with their weights, and is checked for browsers and microcontrollers
//! too where those targets are installed.

use crate::{Outcome, packages, process};
use std::path::Path;
use std::process::Command;

/// These promise `#![no_std]` and `alloc` when their default feature `std` is off.
const CRATES: [&str; 9] = [
    "burn-ir",
    "burn-backend",
    "burn-tensor",
    "burn-fft",
    "burn-ndarray",
    "burn-autodiff",
    "burn-core",
    "burn-nn",
    "burn-optim",
];

/// See the package: it fails to build as soon as something below it links `std`.
const PROBE: &str = "no-std-probe";

/// Targets without an operating system that the probe is checked for.
const TARGETS: [&str; 2] = ["wasm32-unknown-unknown", MICROCONTROLLER];

/// Target of a Cortex-M4 with a floating-point unit.
pub(crate) const MICROCONTROLLER: &str = "thumbv7em-none-eabihf";

/// Target of the Raspberry Pi Pico, which has no atomic read-modify-write instructions. Gradients need them:
/// the library of the example is checked for it in place of the probe.
const PICO: &str = "thumbv6m-none-eabi";

pub(crate) fn run() -> Outcome {
    let packages = packages::packages()?;
    let probe = packages.iter().find(|package| package.name == PROBE).ok_or(format!("no package {PROBE}"))?;
    let unused = |name: &&str| !probe.dependencies.iter().any(|dependency| dependency == name);
    if let Some(name) = CRATES.iter().find(|name| unused(name)) {
        return Err(format!("add {name} to the dependencies of {PROBE} and use it there"));
    }
    let (mut left_out, checked) = (Vec::new(), CRATES.iter().flat_map(|name| ["--package", name]));
    process::run(process::cargo(&["check", "--quiet", "--no-default-features"]).args(checked))?;
    let check = ["check", "--quiet", "--package", PROBE, "--features", "probe"];
    process::run(&mut process::cargo(&check))?;
    for target in TARGETS {
        if has_target(target)? {
            process::run(process::cargo(&check).args(["--target", target]))?;
        } else {
            left_out.push(format!("the probe on {target}: `rustup target add {target}`"));
        }
    }
    if has_target(PICO)? {
        let check = ["check", "--quiet", "--package", "raspberry-pi-pico", "--lib", "--target", PICO];
        process::run(&mut process::cargo(&check))?;
    } else {
        left_out.push(format!("raspberry-pi-pico on {PICO}: `rustup target add {PICO}`"));
    }
    for reason in &left_out {
        println!("left out: {reason}");
    }
    Ok(())
}

/// Whether the compiler has the library of a target.
pub(crate) fn has_target(target: &str) -> Outcome<bool> {
    let mut command = Command::new("rustc");
    let folder = process::output(command.args(["--print", "target-libdir", "--target", target]))?;
    Ok(Path::new(folder.trim()).is_dir())
}
