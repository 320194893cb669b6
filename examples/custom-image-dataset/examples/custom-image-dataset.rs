//! Trains a classifier of the images in a folder.
//!
//! ```text
//! cargo run --release --package custom-image-dataset --example custom-image-dataset
//! cargo run --release --package custom-image-dataset --example custom-image-dataset -- --root FOLDER
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::Dataset;
use burn::optim::AdamConfig;
use clap::Parser;
use custom_image_dataset::images::ImagesDataset;
use custom_image_dataset::sample::write_digits;
use custom_image_dataset::training::{self, TrainingConfig};

/// Train a convolutional network on the images in a folder, one subfolder for each class.
#[derive(Parser, Debug)]
struct Args {
    /// Folder of PNG or JPEG images of one size [default: handwritten digits, which are written first].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Times to go through the training images.
    #[arg(long, default_value_t = 8)]
    epochs: usize,
    /// Folder that the run writes into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/custom-image-dataset")]
    artifacts: PathBuf,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("custom-image-dataset: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let root = match &args.root {
        Some(root) => root.clone(),
        None => {
            let root = args.artifacts.join("digits");
            write_digits(&root, usize::MAX)?;
            root
        }
    };
    let images = ImagesDataset::open(&root)?;
    println!("{} images of {:?} in the classes {:?}", images.len(), images.size(), images.classes());
    let config = TrainingConfig::new(AdamConfig::new()).with_num_epochs(args.epochs);
    let evaluation =
        training::run::<Autodiff<NdArray>>(images, &config, &args.artifacts, Default::default())?;
    println!(
        "accuracy on {} images that the model never saw: {:.1} %",
        evaluation.images, evaluation.accuracy
    );
    println!("of always the most frequent class: {:.1} %", evaluation.most_frequent);
    Ok(())
}
