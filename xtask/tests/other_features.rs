//! Builds with other features than the tests have. They compile the crates once more, so they run with the
//! feature `fresh-project` only (`cargo test --package xtask --features fresh-project --test
//! other_features`).
#![cfg(feature = "fresh-project")]

use repository::{process, workspace};

#[test]
fn f_011_the_cpu_backend_is_the_only_feature_that_a_build_needs() {
    check(&["--package", "burn", "--no-default-features", "--features", "ndarray"]);
}

#[test]
fn f_015_std_is_a_default_feature_that_can_be_switched_off() {
    let manifest = workspace::read("crates/burn/Cargo.toml").unwrap();
    let default = manifest.lines().find(|line| line.starts_with("default = [")).expect("default features");
    assert!(default.contains("\"std\""), "{default}");
    check(&["--package", "burn", "--no-default-features"]);
}

#[test]
fn ns_002_the_facade_with_the_cpu_backend_alone_brings_no_standard_library_in() {
    let manifest = workspace::read("xtask/no-std-probe/Cargo.toml").unwrap();
    assert!(manifest.contains("burn = { workspace = true"));
    check(&["--package", "no-std-probe", "--features", "probe"]);
}

/// `cargo check` of the workspace's own packages.
fn check(arguments: &[&str]) {
    process::run(process::cargo(&["check", "--quiet"]).args(arguments)).unwrap();
}
