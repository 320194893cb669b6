//! No `_ =>` on the enums of operations: the compiler has to find the match that a new one forgot.

use repository::Findings;
use repository::workspace::read;

/// The crates that match on operations. Each denies the lint in its root, so that clippy looks.
const CRATES: [&str; 18] = [
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
    "burn-cubecl-linalg",
    "burn-wgpu",
    "burn-cuda",
    "burn-rocm",
];

const LINE: &str = "#![deny(clippy::wildcard_enum_match_arm)]";

pub(crate) fn find() -> Findings {
    let mut findings = Vec::new();
    for path in CRATES.map(|name| format!("crates/{name}/src/lib.rs")) {
        if !read(&path)?.lines().any(|line| line == LINE) {
            findings.push(format!("{path}: add `{LINE}`"));
        }
    }
    Ok(findings)
}
