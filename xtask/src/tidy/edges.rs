//! Which crate may use which: an arrow that is not written here does not exist.
//!
//! Leaves know no decorator, decorators know no leaf and not each other, and the tensor does not see
//! autodiff. Dependencies of tests are free.

use super::Findings;
use crate::{packages, workspace};

/// The operations, the trait over them, and what both kinds of backend are built on.
const BACKEND: &[&str] = &["burn-ir", "burn-backend"];
const TENSOR: &[&str] = &["burn-ir", "burn-backend", "burn-tensor"];
const CORE: &[&str] = &["burn-ir", "burn-io", "burn-backend", "burn-tensor", "burn-core", "burn-derive"];
const ONNX: &[&str] =
    &["burn-ir", "burn-io", "burn-backend", "burn-tensor", "burn-core", "burn-derive", "burn-capture"];
const LIBRARY_BACKEND: &[&str] = &["burn-ir", "burn-backend", "burn-library-backend"];
const GPU_RUNTIME: &[&str] = &["burn-ir", "burn-backend", "burn-cubecl"];

const TRAINING: &[&str] = &[
    "burn-ir",
    "burn-io",
    "burn-backend",
    "burn-tensor",
    "burn-core",
    "burn-derive",
    "burn-nn",
    "burn-optim",
    "burn-dataset",
    "burn-collective",
];

const IMPORT: &[&str] = &[
    "burn-ir",
    "burn-io",
    "burn-backend",
    "burn-tensor",
    "burn-core",
    "burn-derive",
    "burn-nn",
    "burn-onnx",
    "burn-capture",
];

/// Dependencies of language models; the program computes on the CPU backend.
const LANGUAGE_MODELS: &[&str] = &[
    "burn-ir",
    "burn-io",
    "burn-backend",
    "burn-tensor",
    "burn-core",
    "burn-derive",
    "burn-nn",
    "burn-import",
    "burn-ndarray",
];

/// Dependencies of what moves gradients, modules and shards of datasets between ranks, from GPU to GPU too.
const COLLECTIVE: &[&str] = &[
    "burn-ir",
    "burn-backend",
    "burn-tensor",
    "burn-core",
    "burn-cuda",
    "burn-derive",
    "burn-nn",
    "burn-optim",
    "burn-dataset",
];

/// Dependencies of the conformance suite, which fuzzes every crate that reads files.
const CONFORMANCE: &[&str] =
    &["burn-ir", "burn-backend", "burn-tensor", "burn-capture", "burn-core", "burn-dataset", "burn-train"];

/// A crate, and the crates of the workspace that it may use.
const EDGES: [(&str, &[&str]); 33] = [
    ("burn-ir", &["burn-derive"]),
    ("burn-io", &[]),
    ("burn-backend", &["burn-ir", "burn-derive"]),
    // Leaves.
    ("burn-ndarray", &["burn-ir", "burn-backend", "burn-fft"]),
    ("burn-fft", &[]),
    ("burn-library-backend", BACKEND),
    ("burn-tch", LIBRARY_BACKEND),
    ("burn-candle", LIBRARY_BACKEND),
    ("burn-cubecl", BACKEND),
    ("burn-wgpu", GPU_RUNTIME),
    ("burn-cuda", GPU_RUNTIME),
    ("burn-rocm", GPU_RUNTIME),
    // Decorators.
    ("burn-autodiff", BACKEND),
    ("burn-fusion", BACKEND),
    ("burn-router", BACKEND),
    ("burn-remote", BACKEND),
    ("burn-capture", &["burn-ir", "burn-io", "burn-backend"]),
    ("burn-profile", BACKEND),
    ("burn-amp", BACKEND),
    // The programming interface.
    ("burn-tensor", &["burn-ir", "burn-backend", "burn-derive"]),
    ("burn-derive", &[]),
    ("burn-core", &["burn-ir", "burn-io", "burn-backend", "burn-tensor", "burn-derive"]),
    ("burn-nn", CORE),
    ("burn-optim", CORE),
    ("burn-dataset", &["burn-derive", "burn-io", "burn-ir"]),
    ("burn-vision", TENSOR),
    ("burn-train", TRAINING),
    ("burn-collective", COLLECTIVE),
    ("burn-onnx", ONNX),
    ("burn-import", IMPORT),
    ("burn-lm", LANGUAGE_MODELS),
    ("burn-conformance", CONFORMANCE),
    ("burn-conformance-methods", &["burn-backend", "burn-conformance", "burn-tensor"]),
];

/// These stand above all others and may use every crate.
const ABOVE: [&str; 1] = ["burn"];

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    let packages = packages::packages()?;
    for (name, _) in EDGES {
        if !packages.iter().any(|package| package.name == name) {
            findings.push(format!("xtask/src/tidy/edges.rs: {name} is no crate of the workspace"));
        }
    }
    let crates =
        packages.iter().filter(|package| package.folder.starts_with(workspace::root().join("crates")));
    for package in crates.filter(|package| !ABOVE.contains(&package.name.as_str())) {
        let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == package.name) else {
            findings
                .push(format!("{}: add the crates that it may use to xtask/src/tidy/edges.rs", package.name));
            continue;
        };
        let locals = package.dependencies.iter().filter(|dependency| dependency.is_local);
        let forbidden = locals.filter(|dependency| !allowed.contains(&dependency.name.as_str()));
        findings
            .extend(forbidden.map(|dependency| format!("{} must not use {}", package.name, dependency.name)));
    }
    Ok(findings)
}
