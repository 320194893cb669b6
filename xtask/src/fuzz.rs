//! `cargo xtask fuzz`: random operations and methods with random arguments, random clients of a server, or damaged
//! files, for some minutes.

use crate::{Outcome, process};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (mut minutes, mut seed, mut example) = ("10", None, "fuzz");
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if let Some(other) = example_of(flag) {
            example = other;
            continue;
        }
        let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--minutes" => minutes = value,
            "--seed" => seed = Some(value),
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    let command = ["run", "--quiet", "--package", "burn-conformance", "--example", example, "--", minutes];
    process::run(process::cargo(&command).args(seed))
}

fn example_of(flag: &str) -> Option<&'static str> {
    match flag {
        "--protocol" => Some("fuzz-protocol"),
        "--files" => Some("fuzz-files"),
        _ => None,
    }
}
