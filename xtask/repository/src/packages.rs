//! Packages of the workspace.

use crate::{Outcome, process};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One package of the workspace.
#[derive(Debug)]
pub struct Package {
    pub name: String,
    pub folder: PathBuf,
    pub licence: String,
    pub description: String,
    pub features: Vec<String>,
    /// Names of normal and build dependencies; what tests need is free.
    pub dependencies: Vec<String>,
    /// Those of them that are in the workspace.
    pub local_dependencies: Vec<String>,
}

/// Returns the output of `cargo metadata` for the packages of the workspace.
pub fn metadata() -> Outcome<Value> {
    let metadata = ["metadata", "--no-deps", "--format-version=1", "--offline"];
    let metadata = process::output(&mut process::cargo(&metadata))?;
    serde_json::from_str(&metadata).map_err(|cause| format!("cargo metadata: {cause}"))
}

/// Returns the elements of a list, none if it is no list.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a text of an object, an empty one if it has none.
pub fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap_or_default()
}

/// Returns all packages of the workspace, read from `cargo metadata`.
pub fn packages() -> Outcome<Vec<Package>> {
    Ok(list(&metadata()?["packages"]).iter().map(package).collect())
}

fn package(value: &Value) -> Package {
    let dependencies = list(&value["dependencies"]).iter().filter(|dependency| dependency["kind"] != "dev");
    let local = dependencies.clone().filter(|dependency| !dependency["path"].is_null());
    let name = |dependency: &Value| text(dependency, "name").to_string();
    Package {
        name: name(value),
        folder: Path::new(text(value, "manifest_path")).with_file_name(""),
        licence: text(value, "license").to_string(),
        description: text(value, "description").to_string(),
        features: value["features"].as_object().into_iter().flat_map(|map| map.keys().cloned()).collect(),
        dependencies: dependencies.map(name).collect(),
        local_dependencies: local.map(name).collect(),
    }
}
