//! A file is named after what is in it.

use repository::Findings;
use repository::workspace::{files, relative, root};
use std::fs;

/// Names that say nothing about what a file holds.
const FORBIDDEN: [&str; 8] = ["utils", "util", "helpers", "helper", "common", "base", "misc", "types"];

/// Words of our own, instead of which a file has the term of the field: `process_exit` and not `ending`.
const PRIVATE_WORDS: [&str; 19] = [
    "apart", "around", "caught", "cause", "declined", "draws", "ending", "lost", "meeting", "mended",
    "places", "planes", "role", "scores", "skinny", "stretch", "team", "told", "winners",
];

/// File of a family of operations, which has one name in every backend, in the suite and in gradients, and
/// names that it does not have.
const FAMILY_FILES: [(&str, &[&str]); 8] = [
    ("conv", &["convolution", "convolutions"]),
    ("pool", &["pooling"]),
    ("norm", &["normalization", "layer_norm"]),
    ("reduce", &["reduction", "reductions"]),
    ("cumulative", &["scan"]),
    ("fft", &["fourier", "spectral"]),
    ("quantization", &["quantized", "quantize"]),
    ("interpolate", &["resize", "interpolation"]),
];

/// Crates with a file or folder for families of operations.
const FAMILY_CRATES: [&str; 9] =
    ["autodiff", "backend", "candle", "conformance", "cubecl", "cubecl-linalg", "cuda", "ndarray", "tch"];

/// Most files in the root of folders with many; the others are in folders by what they do.
const ROOT_FILES: [(&str, usize); 3] =
    [("crates/burn-cubecl/src", 5), ("crates/burn-ndarray/src", 10), ("crates/burn/tests/spec", 7)];

pub(crate) fn find() -> Findings {
    let paths: Vec<String> = files(&["rs"]).into_iter().map(|path| relative(&path)).collect();
    let unclear = paths.iter().filter(|path| is_unclear(path));
    let mut findings: Vec<String> =
        unclear.map(|path| format!("{path}: name it after what is in it")).collect();
    let named = paths.iter().filter_map(|path| Some((path, family_of(path)?)));
    findings.extend(named.map(|(path, family)| format!("{path}: other backends have it in `{family}`")));
    for (name, most) in ROOT_FILES {
        let folder = root().join(name);
        let entries = fs::read_dir(&folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
        let files = entries.filter_map(Result::ok).filter(|entry| entry.path().is_file()).count();
        if files > most {
            findings.push(format!("{name}: {files} files, at most {most}: put them into folders"));
        }
    }
    Ok(findings)
}

/// The name of its family, where a file of kernels, rules or checks has another one.
fn family_of(path: &str) -> Option<&'static str> {
    let (name, inside) = path.strip_prefix("crates/burn-")?.split_once("/src/")?;
    let parts = inside.trim_end_matches(".rs").split('/');
    let parts: Vec<&str> = parts.filter(|_| FAMILY_CRATES.contains(&name)).collect();
    let family = FAMILY_FILES.iter().find(|(_, others)| parts.iter().any(|part| others.contains(part)));
    family.map(|(family, _)| *family)
}

fn is_unclear(path: &str) -> bool {
    let mut parts = path.trim_end_matches(".rs").split('/');
    let is_private = |name: &str| path.contains("/src/") && PRIVATE_WORDS.contains(&name);
    parts.clone().any(|part| FORBIDDEN.contains(&part)) || parts.next_back().is_some_and(is_private)
}
