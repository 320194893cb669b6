//! Packages of the workspace.

use crate::{Outcome, process};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One package of the workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) licence: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) features: Vec<String>,
    /// Normal and build dependencies; what tests need is free.
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) is_local: bool,
}

/// Returns the output of `cargo metadata` for the packages of the workspace.
pub(crate) fn metadata() -> Outcome<Value> {
    let mut metadata = process::cargo(&["metadata", "--no-deps", "--format-version=1", "--offline"]);
    let metadata = process::output(&mut metadata)?;
    serde_json::from_str(&metadata).map_err(|cause| format!("cargo metadata: {cause}"))
}

/// All packages of the workspace, read from `cargo metadata`.
pub(crate) fn packages() -> Outcome<Vec<Package>> {
    let metadata = metadata()?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    Ok(packages.iter().map(package).collect())
}

/// Whether the workspace has a package of this name.
pub(crate) fn has_package(name: &str) -> Outcome<bool> {
    Ok(packages()?.iter().any(|package| package.name == name))
}

fn package(value: &Value) -> Package {
    let text = |value: &Value| value.as_str().map(str::to_string);
    let dependencies = value["dependencies"].as_array().into_iter().flatten();
    Package {
        name: text(&value["name"]).unwrap_or_default(),
        folder: Path::new(value["manifest_path"].as_str().unwrap_or_default()).with_file_name(""),
        licence: text(&value["license"]),
        description: text(&value["description"]),
        features: value["features"].as_object().into_iter().flat_map(|map| map.keys().cloned()).collect(),
        dependencies: dependencies
            .filter(|dependency| dependency["kind"].as_str() != Some("dev"))
            .map(|dependency| Dependency {
                name: text(&dependency["name"]).unwrap_or_default(),
                is_local: !dependency["path"].is_null(),
            })
            .collect(),
    }
}
