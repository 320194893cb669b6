//! Trains the guide's network on several processes, which share the items of each batch.
//!
//! ```text
//! cargo build --release --package data-parallel --example data-parallel
//! mpirun -n 2 target/release/examples/data-parallel
//! ```
//!
//! On NVIDIA GPUs, with the feature `nccl`: `burn-launch -n 2 target/release/examples/data-parallel --nccl`.

use burn::backend::{Autodiff, NdArray};
use burn::collective::{CollectiveError, Communicator};
use burn::data::dataset::Dataset;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::DigitsDataset;
use burn::module::{AutodiffModule, Module};
use burn::record::{DoublePrecisionSettings, NamedMpkFileRecorder};
use burn::tensor::backend::Backend;
use clap::{Parser, ValueEnum};
use data_parallel::{RunConfig, learner, train};
use guide::inference::count_correct;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Train a network to read handwritten digits, on as many processes as `mpirun` starts.
#[derive(Parser, Debug)]
pub struct Args {
    /// Times to go through the training images.
    #[arg(long, default_value_t = 4)]
    epochs: usize,
    /// Images of a step, on all processes together.
    #[arg(long, default_value_t = 64)]
    batch_size: usize,
    /// Number of training images to use, for a quick look.
    #[arg(long, value_name = "N")]
    images: Option<usize>,
    /// Dropout probability.
    #[arg(long, default_value_t = 0.5)]
    dropout: f64,
    /// Element type of the weights.
    #[arg(long, value_enum, default_value_t = Float::F32)]
    float: Float,
    /// Add the gradients of so many parts of each batch in a fixed order: the same bits for every number of
    /// processes that divides it.
    #[arg(long, value_name = "PARTS", default_value_t = 0)]
    fixed_order: usize,
    /// File that rank 0 saves the model in.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Train by the `Learner`, with logs and checkpoints in this folder; a run that was started before goes
    /// on.
    #[arg(long, value_name = "FOLDER", conflicts_with = "fixed_order")]
    artifacts: Option<PathBuf>,
    /// Train on NVIDIA GPUs, one for each process, whose gradients NCCL moves.
    #[cfg(feature = "nccl")]
    #[arg(long)]
    nccl: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Float {
    F32,
    F64,
}

fn main() -> ExitCode {
    let args = Args::parse();
    #[cfg(feature = "nccl")]
    let outcome = if args.nccl { gpu::run(&args) } else { start(&args) };
    #[cfg(not(feature = "nccl"))]
    let outcome = start(&args);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("data-parallel: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Trains on the processes that `mpirun` started, or on this one.
fn start(args: &Args) -> Result<(), Box<dyn Error>> {
    run(args, &Communicator::from_environment()?)
}

/// Ranks with a GPU each.
#[cfg(feature = "nccl")]
mod gpu {
    use super::{Args, Error, run_on};
    use burn::backend::{Cuda, cuda::CudaDevice};
    use burn::collective::{LaunchVariables, Nccl};

    /// Trains on the GPUs of the processes that `burn-launch` or `torchrun` started.
    pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
        let gpu = LaunchVariables::from_environment()?.map_or(0, |launch| launch.local_rank);
        run_on::<Cuda>(args, &Nccl::from_environment(gpu)?, CudaDevice::new(gpu))
    }
}

/// Trains with the element type of the arguments.
pub fn run(args: &Args, communicator: &Communicator) -> Result<(), Box<dyn Error>> {
    match args.float {
        Float::F32 => run_on::<NdArray<f32>>(args, communicator, Default::default()),
        Float::F64 => run_on::<NdArray<f64>>(args, communicator, Default::default()),
    }
}

fn run_on<B: Backend>(
    args: &Args,
    communicator: &Communicator,
    device: B::Device,
) -> Result<(), Box<dyn Error>> {
    let (images, test) = DigitsDataset::train_test_mnist(42);
    let count = args.images.unwrap_or(images.len()).min(images.len());
    let images = PartialDataset::new(images, 0, count);
    let config = RunConfig::new()
        .with_num_epochs(args.epochs)
        .with_batch_size(args.batch_size)
        .with_dropout(args.dropout)
        .with_fixed_order_parts(args.fixed_order);
    let model = match &args.artifacts {
        Some(folder) => {
            let valid = DigitsDataset::train_test_mnist(42).1;
            learner::train::<Autodiff<B>>(folder, &config, (images, valid), communicator.clone(), &device)?
        }
        None => train::<Autodiff<B>>(&config, &images, communicator, &device, |epoch, loss| {
            println!("epoch {epoch}  loss {loss:.4}");
        })?,
    };
    // Files and the last word are those of one rank.
    let is_first = communicator.rank() == 0;
    let saved = match &args.save {
        Some(file) if is_first => save(model.valid(), file),
        Some(_) | None => Ok(()),
    };
    if is_first {
        let right = count_correct(&model.valid(), &test, &device);
        println!(
            "{} ranks, test accuracy: {:.2} %",
            communicator.world_size(),
            100.0 * right as f64 / test.len() as f64
        );
    }
    // Others wait until the file is written.
    let barrier: Result<(), CollectiveError> = communicator.barrier();
    saved.and(barrier.map_err(Into::into))
}

fn save<B: Backend>(model: impl Module<B>, file: &std::path::Path) -> Result<(), Box<dyn Error>> {
    model.save_file(file, &NamedMpkFileRecorder::<DoublePrecisionSettings>::new())?;
    Ok(())
}
