//! Writes a program that has official test cases of ONNX as modules of generated source, and runs them.
//!
//! `cargo xtask onnx --sources` calls this program and then the one that it wrote: `node_sources DATA FOLDER [--only TEXT]
//! [--most N]`. `--most` limits the cases of each operator; 4 by default.

mod cases;
mod program;

use std::path::PathBuf;
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
    let usage = "usage: node_sources DATA FOLDER [--only TEXT] [--most N]";
    let mut args = std::env::args().skip(1);
    let (data, folder) = (args.next().ok_or(usage)?, args.next().ok_or(usage)?);
    let (mut only, mut most) = (String::new(), 4);
    while let Some(arg) = args.next() {
        let value = args.next().ok_or(usage)?;
        match &arg[..] {
            "--only" => only = value,
            "--most" => most = value.parse().map_err(|_| format!("{value} is no number"))?,
            other => return Err(format!("{other} is no argument; {usage}")),
        }
    }
    let (data, folder) = (PathBuf::from(data), PathBuf::from(folder));
    let chosen = cases::choose(&data, &folder, &only, most)?;
    program::write(&folder, &chosen.cases)?;
    Ok(format!(
        "{} cases of {} operators; {} cannot be recorded, {} are beyond the limit",
        chosen.cases.len(),
        chosen.operators,
        chosen.refused,
        chosen.beyond
    ))
}
