//! No `_ =>` on the enums of operations: the compiler has to find the match that a new one forgot.

use super::Findings;
use crate::packages::packages;
use crate::workspace::{read, relative};

/// The crates that match on operations. Each denies the lint in its root, so that clippy looks.
const CRATES: [&str; 17] = [
    "burn-ir",
    "burn-backend",
    "burn-autodiff",
    "burn-fusion",
    "burn-router",
    "burn-remote",
    "burn-capture",
    "burn-profile",
    "burn-amp",
    "burn-ndarray",
    "burn-library-backend",
    "burn-candle",
    "burn-tch",
    "burn-cubecl",
    "burn-wgpu",
    "burn-cuda",
    "burn-rocm",
];

const LINE: &str = "#![deny(clippy::wildcard_enum_match_arm)]";

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    for package in packages()?.iter().filter(|package| CRATES.contains(&package.name.as_str())) {
        let path = package.folder.join("src/lib.rs");
        let text = read(&path)?;
        if !text.lines().any(|line| line == LINE) {
            findings.push(format!("{}: add `{LINE}`", relative(&path)));
        }
    }
    Ok(findings)
}
