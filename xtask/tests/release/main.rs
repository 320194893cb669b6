//! A release that could be published tomorrow: what is packed, what manifests say, what is depended on.

mod changelog;
mod dependencies;
mod manifests;
mod packages;

use repository::packages::{list, metadata, text};
use repository::{process, workspace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Output;

fn read(path: &str) -> String {
    workspace::read(path).unwrap()
}

/// Runs cargo in the root of the workspace; it succeeds.
fn cargo(arguments: &[&str]) -> Output {
    let output = process::cargo(arguments).output().expect("cargo starts");
    assert!(output.status.success(), "cargo {arguments:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Returns the manifests of the crates that can be published, by name, as `cargo metadata` shows them.
fn published() -> BTreeMap<String, Value> {
    let metadata = metadata().unwrap();
    let published = list(&metadata["packages"]).iter().filter(|package| package["publish"].is_null());
    published.map(|package| (text(package, "name").to_string(), package.clone())).collect()
}

/// Returns the dependencies on crates of the workspace.
fn local_dependencies(package: &Value) -> impl Iterator<Item = &Value> {
    list(&package["dependencies"]).iter().filter(|other| !other["path"].is_null())
}
