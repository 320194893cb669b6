//! Trains on handwritten digits and tests the model.
//!
//! ```text
//! cargo run --release --package mnist --example mnist
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::train::EvaluationSummary;
use clap::Parser;
use mnist::data::Splits;
use mnist::training::{TrainingConfig, test, train};
use std::error::Error;
use std::path::PathBuf;

/// Train a network to read handwritten digits, and look at it with images that it has never seen.
#[derive(Parser, Debug)]
pub struct Args {
    /// Train on MNIST, which is downloaded, instead of the 1,797 digits inside of the program.
    #[arg(long)]
    mnist: bool,
    /// Number of training images to use, for a quick look.
    #[arg(long, value_name = "N")]
    images: Option<usize>,
    /// Maximum number of epochs.
    #[arg(long, default_value_t = 20)]
    epochs: usize,
    /// Folder that the run writes into, and goes on from.
    #[arg(long, value_name = "DIR", default_value = "artifacts/mnist")]
    artifacts: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let summary = run(&args)?;
    println!("\n{summary}\ncurves: {}", args.artifacts.join("report.html").display());
    Ok(())
}

/// Trains, and returns the metrics of the test images.
pub fn run(args: &Args) -> Result<EvaluationSummary, Box<dyn Error>> {
    type B = Autodiff<NdArray>;
    let config = TrainingConfig::new().with_num_epochs(args.epochs);
    let mut splits = if args.mnist { Splits::mnist()? } else { Splits::digits(config.seed) };
    if let Some(count) = args.images {
        splits = splits.with_train_images(count);
    }
    let device = Default::default();
    let model = train::<B>(&args.artifacts, &config, &splits, &device)?;
    Ok(test::<B>(&args.artifacts, &config, &splits, &model, &device)?)
}
