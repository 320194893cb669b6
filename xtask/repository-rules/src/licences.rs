//! Every package carries both licences and says in a sentence what it is.

use repository::packages::packages;
use repository::{Findings, workspace};

const LICENCE: &str = "MIT OR Apache-2.0";

pub(crate) fn find() -> Findings {
    let mut findings = Vec::new();
    for package in packages()? {
        if package.licence != LICENCE {
            findings.push(format!("{}: license is {:?}, not {LICENCE}", package.name, package.licence));
        }
        if package.description.is_empty() {
            findings.push(format!("{}: no description", package.name));
        }
    }
    let texts = ["LICENSE-MIT", "LICENSE-APACHE"].into_iter();
    let missing = texts.filter(|file| !workspace::root().join(file).is_file());
    Ok(findings.into_iter().chain(missing.map(|file| format!("{file} is missing"))).collect())
}
