//! Reads a CSV file as a dataset, shows its first rows, and fits a linear model to it.
//!
//! ```text
//! cargo run --package custom-csv-dataset --example custom-csv-dataset
//! cargo run --package custom-csv-dataset --example custom-csv-dataset -- FILE.tsv
//! ```

use std::error::Error;
use std::path::PathBuf;

use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::Dataset;
use custom_csv_dataset::{PatientsDataset, embedded_file, regression};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or_else(embedded_file, PathBuf::from);
    let patients = PatientsDataset::open(&path)?;
    println!("{} patients; the first two:", patients.len());
    for patient in patients.iter().take(2) {
        println!("{patient:?}");
    }
    let (_, evaluation) = regression::fit::<Autodiff<NdArray>>(patients, 60, 42, &Default::default())?;
    println!("mean squared error on {} other patients: {:.0}", evaluation.patients, evaluation.error);
    println!("of the mean of the known patients:       {:.0}", evaluation.error_of_the_mean);
    println!("explained variance:                      {:.0} %", 100.0 * evaluation.explained());
    Ok(())
}
