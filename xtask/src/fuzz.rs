//! `cargo xtask fuzz`: random operations and methods with random arguments, random clients of a server,
//! damaged files, configs of layers with wrong values, or ONNX models with hostile names or nodes that do not
//! fit, for some minutes.

use crate::{Outcome, process};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (mut minutes, mut seed, mut reader, mut example) = ("10", None, None, "fuzz");
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if let Some(other) = example_of(flag) {
            example = other;
            continue;
        }
        let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--minutes" => minutes = value,
            "--seed" => seed = Some(value.as_str()),
            "--reader" => reader = Some(value),
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    if reader.is_some() && example != "fuzz-files" {
        return Err("--reader chooses among the readers of --files".into());
    }
    // The seed comes before the reader; a word that is no number is none.
    let seed = seed.or(reader.map(|_| "any"));
    let package = match example {
        "fuzz-configs" => "burn-nn",
        "fuzz-names" | "fuzz-nodes" => "burn-onnx",
        _ => "burn-conformance",
    };
    let command = ["run", "--quiet", "--package", package, "--example", example, "--", minutes];
    process::run(process::cargo(&command).args(seed).args(reader))
}

fn example_of(flag: &str) -> Option<&'static str> {
    match flag {
        "--protocol" => Some("fuzz-protocol"),
        "--files" => Some("fuzz-files"),
        "--configs" => Some("fuzz-configs"),
        "--names" => Some("fuzz-names"),
        "--onnx" => Some("fuzz-nodes"),
        _ => None,
    }
}
