//! Loads what `modern-lstm-train` left, and continues sequences that it never saw.
//!
//! ```text
//! cargo run --release --package modern-lstm --example modern-lstm-infer
//! ```

use burn::backend::NdArray;
use clap::Parser;
use modern_lstm::inference::{load, predict};
use modern_lstm::sequence::dataset;
use std::error::Error;
use std::path::PathBuf;

/// Continue generated sequences with a trained LSTM.
#[derive(Parser, Debug)]
pub struct Args {
    /// Number of sequences.
    #[arg(long, value_name = "N", default_value_t = 5)]
    sequences: usize,
    /// Folder of the trained model.
    #[arg(long, value_name = "DIR", default_value = "artifacts/modern-lstm")]
    artifacts: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    for (predicted, right) in run(&Args::parse())? {
        println!("predicted {predicted:6.3}   right {right:6.3}");
    }
    Ok(())
}

/// Returns the predicted and the right next values.
pub fn run(args: &Args) -> Result<Vec<(f32, f32)>, Box<dyn Error>> {
    let device = Default::default();
    let (model, config) = load::<NdArray>(&args.artifacts, &device)?;
    let sequences = dataset(args.sequences, config.seed, 2).into_items();
    let predicted = predict(&model, &sequences, &device);
    Ok(predicted.into_iter().zip(sequences.iter().map(|sequence| sequence.next)).collect())
}
