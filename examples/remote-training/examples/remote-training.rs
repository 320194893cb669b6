//! Trains the guide's model on a server.
//!
//! ```text
//! cargo run --release --example server             # in one terminal
//! cargo run --release --example remote-training    # in another one
//! ```

use burn::backend::ndarray::{NdArray, NdArrayDevice};
use burn::data::dataset::Dataset;
use burn::data::dataset::vision::DigitsDataset;
use burn::optim::AdamConfig;
use clap::Parser;
use guide::inference;
use guide::model::ModelConfig;
use guide::training::TrainingConfig;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Train the book's convolutional network on a server; its token is the environment variable
/// BURN_REMOTE_TOKEN.
#[derive(Parser, Debug)]
struct Args {
    /// The server.
    #[arg(long, default_value = "ws://127.0.0.1:3000")]
    address: String,
    /// Times to go through the training images.
    #[arg(long, default_value_t = 10)]
    epochs: usize,
    /// Folder that the run writes into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/remote-training")]
    artifacts: PathBuf,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("remote-training: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let config = TrainingConfig::new(ModelConfig::new(10, 512), AdamConfig::new())
        .with_num_epochs(args.epochs)
        .with_num_workers(1)
        .with_learning_rate(1e-3);
    let (train, test) = DigitsDataset::train_test_mnist(config.seed);
    remote_training::train_on(&args.address, &args.artifacts, &config, train, test.clone())?;
    // The trained model, on this machine.
    let model = inference::load::<NdArray>(&args.artifacts, &NdArrayDevice::Cpu)?;
    let correct = inference::count_correct(&model, &test, &NdArrayDevice::Cpu);
    println!("test accuracy: {:.2} %", 100.0 * correct as f64 / test.len() as f64);
    Ok(())
}
