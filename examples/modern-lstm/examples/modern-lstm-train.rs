//! Trains an LSTM with layer normalization, dropout, two layers and two directions to continue a series.
//!
//! ```text
//! cargo run --release --package modern-lstm --example modern-lstm-train
//! cargo run --release --package modern-lstm --example modern-lstm-train -- --oscillations
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::module::AutodiffModule;
use clap::Parser;
use modern_lstm::inference::{Errors, evaluate};
use modern_lstm::sequence::Series;
use modern_lstm::stacked::StackedLstmConfig;
use modern_lstm::training::{TrainingConfig, train};
use std::error::Error;
use std::path::PathBuf;

/// Train an LSTM on sunspot numbers, or on generated oscillations.
#[derive(Parser, Debug)]
pub struct Args {
    /// Learn from generated noisy oscillations.
    #[arg(long)]
    oscillations: bool,
    /// Number of oscillations to learn from.
    #[arg(long, value_name = "N", default_value_t = 4096)]
    sequences: usize,
    /// Times to go through the sequences [default: 40, of oscillations 10].
    #[arg(long)]
    epochs: Option<usize>,
    /// Size of the hidden state of each direction [default: 16, for oscillations 32].
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Folder that the run writes into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/modern-lstm")]
    artifacts: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let errors = run(&args)?;
    println!("root mean square error on the test sequences");
    println!("  model:                  {:.3}", errors.model);
    println!("  best linear predictor:  {:.3}", errors.linear);
    println!("  last value:             {:.3}", errors.last_value);
    println!("  mean of the sequence:   {:.3}", errors.mean);
    Ok(())
}

/// Trains, and returns the errors on test sequences.
pub fn run(args: &Args) -> Result<Errors, Box<dyn Error>> {
    let config = if args.oscillations {
        let model = StackedLstmConfig::new(1, args.hidden.unwrap_or(32));
        TrainingConfig::new(model, Series::Oscillations).with_sequences(args.sequences).with_num_epochs(10)
    } else {
        let model = StackedLstmConfig::new(1, args.hidden.unwrap_or(16));
        TrainingConfig::new(model, Series::Sunspots).with_batch_size(16).with_num_epochs(40)
    };
    let epochs = args.epochs.unwrap_or(config.num_epochs);
    let config = config.with_num_epochs(epochs);
    let device = Default::default();
    let model = train::<Autodiff<NdArray>>(&args.artifacts, &config, &device)?;
    Ok(evaluate(&model.valid(), &config, &device))
}
