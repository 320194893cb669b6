//! No `_ =>` on the enums of operations: the compiler has to find the match that a new one forgot.

use repository::Findings;
use repository::workspace::read;

/// The crates that match on operations. Each denies the lint in its root, so that clippy looks.
const CRATES: [&str; 19] = [
    "burn-ir",
    "burn-backend",
    "burn-autodiff",
    "burn-fusion",
    "burn-router",
    "burn-remote",
    "burn-capture",
    "burn-conformance",
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

/// The modules of a crate whose other modules match on no operation.
const MODULES: [&str; 2] = ["crates/burn-onnx/src/export/mod.rs", "crates/burn-onnx/src/tape/recorder.rs"];

const LINE: &str = "#![deny(clippy::wildcard_enum_match_arm)]";

pub(crate) fn find() -> Findings {
    let mut findings = Vec::new();
    let crates = CRATES.map(|name| format!("crates/{name}/src/lib.rs"));
    for path in crates.into_iter().chain(MODULES.map(String::from)) {
        if !read(&path)?.lines().any(|line| line == LINE) {
            findings.push(format!("{path}: add `{LINE}`"));
        }
    }
    Ok(findings)
}
