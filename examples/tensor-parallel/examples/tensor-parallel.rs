//! Trains a transformer whose layers are split over ranks, the threads of this process.
//!
//! ```text
//! cargo run --release --package tensor-parallel --example tensor-parallel
//! cargo run --release --package tensor-parallel --example tensor-parallel -- --tensor 2 --data 2
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::collective::Local;
use clap::Parser;
use std::error::Error;
use tensor_parallel::{TrainingConfig, train};

/// Train a transformer whose layers are split over several ranks.
#[derive(Parser, Debug)]
pub struct Args {
    /// Ranks that each layer is split over: 1, 2 or 4.
    #[arg(long, default_value_t = 2)]
    tensor: usize,
    /// Copies of the model, each of which sees a part of the batch.
    #[arg(long, default_value_t = 1)]
    data: usize,
    /// Times to go through the 256 sequences.
    #[arg(long, default_value_t = 12)]
    epochs: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&Args::parse()).map(|_| ())
}

/// Trains, and returns the mean loss of each epoch.
pub fn run(args: &Args) -> Result<Vec<f64>, Box<dyn Error>> {
    let config = TrainingConfig::new().with_tensor(args.tensor).with_data(args.data).with_epochs(args.epochs);
    let ranks = args.tensor * args.data;
    println!("{ranks} ranks: {} copies of the model, each split over {}", args.data, args.tensor);
    let mut results = Local::run(ranks, |communicator| {
        let device = Default::default();
        train::<Autodiff<NdArray>>(&config, &communicator, &device, |epoch, loss| {
            println!("epoch {:2}  loss {loss:.4}", epoch + 1);
        })
    })?;
    Ok(results.swap_remove(0)?)
}
