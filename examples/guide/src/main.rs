//! The guide in as few lines as the book shows: `cargo run --release --package guide`. The example of the
//! same name has options.

// ANCHOR: main
use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::DigitsDataset;
use burn::optim::AdamConfig;
use burn::prelude::*;
use guide::model::ModelConfig;
use guide::training::TrainingConfig;
use guide::{inference, training};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// The backend that computes: the processor.
type B = NdArray;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Default::default();
    let artifacts = Path::new("artifacts/digits");

    // Three splits: the model is trained on the first, the second chooses its epoch, and the third is seen
    // once, in the end.
    let (images, test) = DigitsDataset::train_test_mnist(42);
    let images = Arc::new(images);
    let (count, cut) = (images.len(), images.len() - images.len() / 8);
    let train = PartialDataset::new(images.clone(), 0, cut);
    let valid = PartialDataset::new(images, cut, count);

    let config = TrainingConfig::new(ModelConfig::new(10, 512), AdamConfig::new())
        .with_num_epochs(30)
        .with_num_workers(1)
        .with_learning_rate(1e-3);
    training::train::<Autodiff<B>>(artifacts, &config, train, valid, device)?;

    let model = inference::load::<B>(artifacts, &device)?;
    let correct = inference::count_correct(&model, &test, &device);
    println!("test accuracy: {:.2} % ({} images)", 100.0 * correct as f64 / test.len() as f64, test.len());
    Ok(())
}
// ANCHOR_END: main
