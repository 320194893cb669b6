//! `cargo xtask fuzz`: random operations and methods with random arguments, or random clients of a server, for some minutes.

use crate::{Outcome, process};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (mut minutes, mut seed, mut example) = ("10", None, "fuzz");
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if flag == "--protocol" {
            example = "fuzz-protocol";
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
