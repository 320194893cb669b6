//! Regression: trains a network to predict a number from measurements, and evaluates it on held-out rows.
//!
//! ```text
//! cargo run --release --package simple-regression --example simple-regression
//! cargo run --release --package simple-regression --example simple-regression -- --california housing.csv
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::InMemDataset;
use burn::optim::AdamConfig;
use clap::Parser;
use simple_regression::table::{self, Row};
use simple_regression::training::{self, TrainingConfig};

/// Train a network on the diabetes patients inside the program, or on California housing.
#[derive(Parser, Debug)]
struct Args {
    /// CSV file of California housing: MedInc, HouseAge, AveRooms, AveBedrms, Population, AveOccup, Latitude,
    /// Longitude, MedHouseVal.
    #[arg(long, value_name = "FILE")]
    california: Option<PathBuf>,
    /// Times to go through the training rows [default: 40 for the patients, 20 for California].
    #[arg(long)]
    epochs: Option<usize>,
    /// Folder that the run writes into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/simple-regression")]
    artifacts: PathBuf,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("simple-regression: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let (rows, epochs) = rows(args)?;
    let config = TrainingConfig::new(AdamConfig::new()).with_num_epochs(args.epochs.unwrap_or(epochs));
    let evaluation = training::run::<Autodiff<NdArray>>(rows, &config, &args.artifacts, Default::default())?;
    println!("rows that the model never saw:     {}", evaluation.rows);
    println!("root mean square error:            {:.3}", evaluation.error);
    println!("of the mean of the training rows:  {:.3}", evaluation.error_of_the_mean);
    println!("explained variance:                {:.0} %", 100.0 * evaluation.explained());
    Ok(())
}

fn rows(args: &Args) -> Result<(InMemDataset<Row>, usize), Box<dyn Error>> {
    Ok(match &args.california {
        Some(path) => (table::california(path)?, 20),
        None => (table::diabetes(), 40),
    })
}
