//! `cargo xtask fuzz`: random operations and methods with random arguments, for some minutes.

use crate::{Outcome, process};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (mut minutes, mut seed) = ("10", None);
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--minutes" => minutes = value,
            "--seed" => seed = Some(value),
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    let command = ["run", "--quiet", "--package", "burn-conformance", "--example", "fuzz", "--", minutes];
    process::run(process::cargo(&command).args(seed))
}
