//! A release that could be published tomorrow: what is packed, what manifests say, what is depended on.

mod changelog;
mod dependencies;
mod manifests;
#[path = "../nested_cargo/mod.rs"]
mod nested_cargo;
mod packages;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|cause| panic!("{path}: {cause}"))
}

/// Runs cargo in the root of the workspace; it succeeds.
fn cargo(arguments: &[&str]) -> Output {
    let output = nested_cargo::cargo().current_dir(root()).args(arguments).output().expect("cargo starts");
    assert!(output.status.success(), "cargo {arguments:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Returns the manifests of the crates that can be published, by name, as `cargo metadata` shows them.
fn published() -> BTreeMap<String, Value> {
    let output = cargo(&["metadata", "--no-deps", "--format-version=1", "--offline"]);
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages").iter();
    let published = packages.filter(|package| package["publish"].as_array().is_none());
    published.map(|package| (text(package, "name").to_string(), package.clone())).collect()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Returns the dependencies on crates of the workspace.
fn local_dependencies(package: &Value) -> impl Iterator<Item = &Value> {
    package["dependencies"].as_array().expect("dependencies").iter().filter(|other| !other["path"].is_null())
}
