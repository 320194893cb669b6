//! The README names every crate, and every feature of the facade.

use super::Findings;
use crate::{packages, workspace};
use std::fs;

/// The crate whose features people choose from.
const FACADE: &str = "burn";

pub(super) fn find() -> Findings {
    let readme = fs::read_to_string(workspace::root().join("README.md"))
        .map_err(|cause| format!("README.md: {cause}"))?;
    let names = |name: &str| readme.contains(&format!("`{name}`"));
    let mut findings = Vec::new();
    for package in packages::packages()? {
        if package.folder.starts_with(workspace::root().join("crates")) && !names(&package.name) {
            findings.push(format!("README.md does not name the crate {}", package.name));
        }
        if package.name == FACADE {
            let unnamed = package.features.iter().filter(|feature| *feature != "default" && !names(feature));
            findings.extend(unnamed.map(|feature| format!("README.md does not name the feature {feature}")));
        }
    }
    Ok(findings)
}
