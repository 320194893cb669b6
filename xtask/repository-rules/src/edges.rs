//! Which crate may use which: an arrow that is not written here does not exist.
//!
//! Leaves know no decorator, decorators know no leaf and not each other, and the tensor does not see
//! autodiff. Dependencies of tests are free.

use repository::Findings;
use repository::packages::packages;
use repository::workspace::root;

/// The operations, and the trait over them.
const BACKEND: &[&str] = &["burn-ir", "burn-backend"];
const TENSOR: &[&str] = &["burn-ir", "burn-backend", "burn-tensor"];
/// The kernels of GPUs.
const GPU: &[&str] = &["burn-cubecl", "burn-cubecl-linalg"];
/// The crates below layers, optimizers and models.
const CORE: &[&str] = &["burn-ir", "burn-io", "burn-backend", "burn-tensor", "burn-core", "burn-derive"];

/// A crate, and the crates of the workspace that it may use.
const EDGES: [(&str, &[&[&str]]); 34] = [
    ("burn-ir", &[&["burn-derive"]]),
    ("burn-io", &[]),
    ("burn-backend", &[&["burn-ir", "burn-derive"]]),
    // Leaves.
    ("burn-ndarray", &[BACKEND, &["burn-fft"]]),
    ("burn-fft", &[]),
    ("burn-library-backend", &[BACKEND]),
    ("burn-tch", &[BACKEND, &["burn-library-backend"]]),
    ("burn-candle", &[BACKEND, &["burn-library-backend"]]),
    ("burn-cubecl", &[BACKEND]),
    ("burn-cubecl-linalg", &[BACKEND, &["burn-cubecl"]]),
    ("burn-wgpu", &[BACKEND, GPU]),
    ("burn-cuda", &[BACKEND, GPU]),
    ("burn-rocm", &[BACKEND, GPU]),
    // Decorators.
    ("burn-autodiff", &[BACKEND]),
    ("burn-fusion", &[BACKEND]),
    ("burn-router", &[BACKEND]),
    ("burn-remote", &[BACKEND]),
    ("burn-capture", &[BACKEND, &["burn-io"]]),
    ("burn-profile", &[BACKEND]),
    ("burn-amp", &[BACKEND]),
    // The programming interface.
    ("burn-tensor", &[BACKEND, &["burn-derive"]]),
    ("burn-derive", &[]),
    ("burn-core", &[TENSOR, &["burn-io", "burn-derive"]]),
    ("burn-nn", &[CORE]),
    ("burn-optim", &[CORE]),
    ("burn-dataset", &[&["burn-derive", "burn-io", "burn-ir"]]),
    ("burn-vision", &[TENSOR]),
    ("burn-train", &[CORE, &["burn-nn", "burn-optim", "burn-dataset", "burn-collective"]]),
    // Gradients, modules and shards of datasets move between ranks, from GPU to GPU too.
    (
        "burn-collective",
        &[TENSOR, &["burn-core", "burn-cuda", "burn-derive"], &["burn-nn", "burn-optim", "burn-dataset"]],
    ),
    ("burn-onnx", &[CORE, &["burn-capture"]]),
    ("burn-import", &[CORE, &["burn-nn", "burn-onnx", "burn-capture"]]),
    // Its program computes on the CPU backend.
    ("burn-lm", &[CORE, &["burn-nn", "burn-import", "burn-ndarray", "burn-cuda", "burn-fusion"]]),
    // The suite fuzzes every crate that reads files.
    ("burn-conformance", &[TENSOR, &["burn-capture", "burn-core", "burn-dataset", "burn-train"]]),
    ("burn-conformance-methods", &[&["burn-backend", "burn-conformance", "burn-tensor"]]),
];

/// This crate is above all others and may use every one.
const FACADE: &str = "burn";

pub(crate) fn find() -> Findings {
    let (packages, folder) = (packages()?, root().join("crates"));
    let is_unknown = |name: &str| !packages.iter().any(|package| package.name == name);
    let unknown = EDGES.iter().filter(|(name, _)| is_unknown(name));
    let mut findings: Vec<String> =
        unknown.map(|(name, _)| format!("{}: {name} is no crate of the workspace", file!())).collect();
    let crates = packages.iter().filter(|package| package.folder.starts_with(&folder));
    for package in crates.filter(|package| package.name != FACADE) {
        let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == package.name) else {
            findings.push(format!("{}: add the crates that it may use to {}", package.name, file!()));
            continue;
        };
        let allowed = allowed.concat();
        let forbidden = package.local_dependencies.iter().filter(|name| !allowed.contains(&name.as_str()));
        findings.extend(forbidden.map(|name| format!("{} must not use {name}", package.name)));
    }
    Ok(findings)
}
