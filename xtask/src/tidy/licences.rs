//! Every package carries both licences and says in a sentence what it is.

use super::Findings;
use crate::{packages, workspace};

const LICENCE: &str = "MIT OR Apache-2.0";

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for package in packages::packages()? {
        if package.licence.as_deref() != Some(LICENCE) {
            findings.push(format!("{}: license is {:?}, not {LICENCE}", package.name, package.licence));
        }
        if package.description.is_none_or(|text| text.is_empty()) {
            findings.push(format!("{}: no description", package.name));
        }
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        if !workspace::root().join(file).is_file() {
            findings.push(format!("{file} is missing"));
        }
    }
    Ok(findings)
}
