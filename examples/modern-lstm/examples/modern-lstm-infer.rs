//! Loads what `modern-lstm-train` left, and continues sequences that it never saw.
//!
//! ```text
//! cargo run --release --package modern-lstm --example modern-lstm-infer
//! ```

use burn::backend::NdArray;
use clap::Parser;
use modern_lstm::inference::{load, predict};
use modern_lstm::sequence::SeriesPart;
use std::error::Error;
use std::path::PathBuf;

/// Continue sequences with a trained LSTM.
#[derive(Parser, Debug)]
pub struct Args {
    /// Number of sequences, the first of the test.
    #[arg(long, value_name = "N", default_value_t = 5)]
    sequences: usize,
    /// Folder of the trained model.
    #[arg(long, value_name = "DIR", default_value = "artifacts/modern-lstm")]
    artifacts: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    for (predicted, right) in run(&Args::parse())? {
        println!("predicted {predicted:7.3}   right {right:7.3}");
    }
    Ok(())
}

/// Returns the predicted and the right next values, in the unit of the series.
pub fn run(args: &Args) -> Result<Vec<(f32, f32)>, Box<dyn Error>> {
    let device = Default::default();
    let (model, config) = load::<NdArray>(&args.artifacts, &device)?;
    let mut sequences = config.sequences_of(SeriesPart::Test).into_items();
    sequences.truncate(args.sequences);
    let predicted = predict(&model, &sequences, &device);
    let right = sequences.iter().map(|sequence| sequence.in_unit(sequence.next));
    Ok(predicted.into_iter().zip(right).collect())
}
