//! The rows of the specification that are about the files of the repository.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|cause| panic!("{path}: {cause}"))
}

/// The value of `key = "value"` in a manifest.
fn value(manifest: &str, key: &str) -> Option<String> {
    let line = manifest.lines().find(|line| line.split(" = ").next() == Some(key))?;
    Some(line.split('"').nth(1)?.to_string())
}

fn crates() -> Vec<(String, String)> {
    let folders = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = folders.map(|name| name.into_string().unwrap());
    names.map(|name| (name.clone(), read(&format!("crates/{name}/Cargo.toml")))).collect()
}

#[test]
fn f_017_the_minimum_rust_version_is_in_every_manifest_and_the_readme() {
    let version = value(&read("Cargo.toml"), "rust-version").expect("the root manifest states it");
    assert!(
        read("README.md").contains(&format!("Rust {version}")),
        "README.md does not state Rust {version}"
    );
    for (name, manifest) in crates() {
        assert!(manifest.contains("rust-version.workspace = true"), "{name}");
    }
}

#[test]
fn f_022_every_crate_has_both_licences_and_their_texts_are_there() {
    assert_eq!(value(&read("Cargo.toml"), "license").as_deref(), Some("MIT OR Apache-2.0"));
    for (name, manifest) in crates() {
        assert!(manifest.contains("license.workspace = true"), "{name}");
    }
    assert!(read("LICENSE-MIT").contains("Permission is hereby granted, free of charge"));
    let apache = read("LICENSE-APACHE");
    assert!(apache.contains("Version 2.0, January 2004") && apache.contains("END OF TERMS AND CONDITIONS"));
}

/// Runs the cargo of this test in the root of the workspace.
fn cargo(arguments: &[&str]) {
    let output =
        Command::new(env!("CARGO")).current_dir(root()).args(arguments).output().expect("cargo starts");
    assert!(output.status.success(), "cargo {arguments:?}:\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn f_015_std_is_a_default_feature_that_can_be_switched_off() {
    let manifest = read("crates/burn/Cargo.toml");
    let default =
        manifest.lines().find(|line| line.starts_with("default = [")).expect("there are default features");
    assert!(default.contains("\"std\""), "{default}");
    cargo(&["check", "--quiet", "--package", "burn", "--no-default-features"]);
}

#[test]
fn ns_002_the_facade_with_the_cpu_backend_alone_brings_no_standard_library_in() {
    assert!(read("xtask/no-std-probe/Cargo.toml").contains("burn = { workspace = true"));
    cargo(&["check", "--quiet", "--package", "no-std-probe", "--features", "probe"]);
}
