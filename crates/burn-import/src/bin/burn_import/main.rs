//! `burn-import`: looks at files of other frameworks, and converts them.

mod convert;
mod inspect;
mod onnx;

use clap::{Parser, Subcommand};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Models from elsewhere: looks at files, and converts them.
#[derive(Parser)]
#[command(name = "burn-import", version)]
struct Arguments {
    #[command(subcommand)]
    format: Format,
}

#[derive(Subcommand)]
enum Format {
    /// Files of `torch.save`.
    #[command(subcommand)]
    Pytorch(Weights),
    /// Safetensors, also an index of several.
    #[command(subcommand)]
    Safetensors(Weights),
    /// GGUF, the files of llama.cpp.
    #[command(subcommand)]
    Gguf(Weights),
    /// NumPy's `.npy` and `.npz`.
    #[command(subcommand)]
    Npz(Weights),
    /// ONNX models.
    #[command(subcommand)]
    Onnx(onnx::Onnx),
}

#[derive(Subcommand)]
enum Weights {
    /// Lists the tensors of a file: name, type and shape.
    Inspect(inspect::Inspect),
    /// Writes the tensors of a file, as they are, in another format.
    Convert(convert::Convert),
}

impl Weights {
    fn run(self, format: inspect::Format) -> Result<String, Box<dyn Error>> {
        Ok(match self {
            Weights::Inspect(command) => command.run(format)?,
            Weights::Convert(command) => command.run(format)?,
        })
    }
}

/// The names under which tensors are listed or written.
#[derive(clap::Args)]
struct Names {
    /// The file.
    path: PathBuf,
    /// Import only the tensors below this key.
    #[arg(long)]
    top_level_key: Option<String>,
    /// A regular expression and a replacement for the names, `PATTERN=REPLACEMENT`; may be given several
    /// times.
    #[arg(long, value_name = "PATTERN=REPLACEMENT", value_parser = remap)]
    key_remap: Vec<(String, String)>,
}

fn remap(text: &str) -> Result<(String, String), String> {
    let parts = text.rsplit_once('=').ok_or("expected PATTERN=REPLACEMENT")?;
    Ok((parts.0.to_string(), parts.1.to_string()))
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().format {
        Format::Pytorch(command) => command.run(inspect::Format::PyTorch),
        Format::Safetensors(command) => command.run(inspect::Format::Safetensors),
        Format::Gguf(command) => command.run(inspect::Format::Gguf),
        Format::Npz(command) => command.run(inspect::Format::Npz),
        Format::Onnx(command) => command.run(),
    };
    match outcome {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("burn-import: {error}");
            ExitCode::FAILURE
        }
    }
}
