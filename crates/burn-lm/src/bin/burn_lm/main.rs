//! The program `burn-lm`: runs, measures and serves a language model.

mod arguments;
mod bench;
mod chat;
mod perplexity;
mod serve;

use arguments::{Arguments, Command, DeviceKind, Float};
use burn_backend::bf16;
use burn_core::tensor::Backend;
use burn_lm::{LmError, TextGenerator};
use burn_ndarray::NdArray;
use clap::Parser;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Arguments { device, dtype, command } = Arguments::parse();
    let result = match (device, dtype) {
        (DeviceKind::Cpu, Float::F32) => run::<NdArray>(command),
        (DeviceKind::Cpu, Float::Bf16) => run::<NdArray<bf16>>(command),
        #[cfg(feature = "cuda")]
        (DeviceKind::Cuda, Float::F32) => run::<burn_fusion::Fusion<burn_cuda::Cuda>>(command),
        #[cfg(feature = "cuda")]
        (DeviceKind::Cuda, Float::Bf16) => run::<burn_fusion::Fusion<burn_cuda::Cuda<bf16>>>(command),
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

fn run<B: Backend>(command: Command) -> CommandResult {
    match command {
        Command::Run(arguments) => chat::run::<B>(&arguments),
        Command::Bench(arguments) => bench::run::<B>(&arguments),
        Command::Perplexity(arguments) => perplexity::run::<B>(&arguments),
        Command::Serve(arguments) => serve::run::<B>(arguments),
    }
}

fn load<B: Backend>(path: &Path) -> Result<TextGenerator<B>, LmError> {
    TextGenerator::from_path(path, &Default::default())
}
