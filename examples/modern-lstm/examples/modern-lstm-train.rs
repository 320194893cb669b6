//! Trains an LSTM with layer normalization, dropout, two layers and two directions to continue noisy oscillations.
//!
//! ```text
//! cargo run --release --package modern-lstm --example modern-lstm-train
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::module::AutodiffModule;
use clap::Parser;
use modern_lstm::inference::{Errors, evaluate};
use modern_lstm::stacked::StackedLstmConfig;
use modern_lstm::training::{TrainingConfig, train};
use std::error::Error;
use std::path::PathBuf;

/// Train an LSTM on generated sequences.
#[derive(Parser, Debug)]
pub struct Args {
    /// Number of sequences to learn from.
    #[arg(long, value_name = "N", default_value_t = 4096)]
    sequences: usize,
    /// Times to go through the sequences.
    #[arg(long, default_value_t = 10)]
    epochs: usize,
    /// Size of the hidden state of each direction.
    #[arg(long, value_name = "N", default_value_t = 32)]
    hidden: usize,
    /// Folder that the run writes into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/modern-lstm")]
    artifacts: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let errors = run(&Args::parse())?;
    println!("root mean square error on 1000 new sequences");
    println!("  model:                  {:.3}", errors.model);
    println!("  best linear predictor:  {:.3}", errors.linear);
    println!("  last value:             {:.3}", errors.last_value);
    println!("  best constant:          {:.3}", errors.constant);
    Ok(())
}

/// Trains, and returns the errors on new sequences.
pub fn run(args: &Args) -> Result<Errors, Box<dyn Error>> {
    let config = TrainingConfig::new(StackedLstmConfig::new(1, args.hidden))
        .with_sequences(args.sequences)
        .with_num_epochs(args.epochs);
    let device = Default::default();
    let model = train::<Autodiff<NdArray>>(&args.artifacts, &config, &device)?;
    Ok(evaluate(&model.valid(), &config, 1000, &device))
}
