//! Writes a program that has official test cases of ONNX as modules of generated source, and runs them.
//!
//! `cargo xtask onnx --sources` calls this program and then the one that it wrote. `--most` limits the cases
//! of each operator that are compiled; 3 by default. Every case is recorded, whether it is compiled or not.

mod arguments;
mod cases;
mod program;

use arguments::Arguments;
use burn_onnx::operators::OPERATORS;
use std::collections::BTreeSet;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<String, String> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    // Sources name their weights from the folder of the program's manifest.
    program::write_manifest(&arguments.folder)?;
    let chosen = cases::choose(&arguments)?;
    program::write(&arguments.folder, &chosen)?;
    let mut text = format!(
        "{} cases of {} operators; {} have no source, {} are beyond the limit",
        chosen.cases.len(),
        chosen.operators.len(),
        chosen.refused.len(),
        chosen.beyond
    );
    if arguments.only.is_empty() {
        let all: BTreeSet<String> = OPERATORS
            .iter()
            .map(|operator| match operator.domain {
                "" => operator.name.to_string(),
                domain => format!("{domain}.{}", operator.name),
            })
            .collect();
        let missing: Vec<String> = all.difference(&chosen.operators).cloned().collect();
        if !missing.is_empty() {
            text += &format!("; operators without a case: {}", missing.join(", "));
        }
    }
    Ok(text)
}
