//! The program `burn-lm`: runs, measures and serves a language model.

mod arguments;
mod bench;
mod chat;
mod perplexity;
mod serve;

use arguments::{Arguments, Command};
use burn_lm::{LmError, TextGenerator};
use burn_ndarray::NdArray;
use clap::Parser;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

type B = NdArray;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run(arguments) => chat::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Perplexity(arguments) => perplexity::run(&arguments),
        Command::Serve(arguments) => serve::run(arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("burn-lm: {error}");
            ExitCode::FAILURE
        }
    }
}

type CommandResult = Result<(), Box<dyn Error>>;

fn load(path: &Path) -> Result<TextGenerator<B>, LmError> {
    TextGenerator::from_path(path, &Default::default())
}
