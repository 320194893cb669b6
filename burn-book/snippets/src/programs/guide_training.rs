// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::DigitsDataset;
use burn::optim::AdamConfig;
use guide::model::ModelConfig;
use guide::training::{TrainingConfig, train};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let artifacts = Path::new("artifacts/short");
    let (images, _test) = DigitsDataset::train_test_mnist(42);
    let images = Arc::new(images);

    // One epoch over 128 images, to see the files of a run.
    let config = TrainingConfig::new(ModelConfig::new(10, 32), AdamConfig::new())
        .with_num_epochs(1)
        .with_num_workers(1);
    let (first, second) =
        (PartialDataset::new(images.clone(), 0, 128), PartialDataset::new(images, 128, 192));
    train::<Autodiff<NdArray>>(artifacts, &config, first, second, Default::default())?;

    for file in ["config.json", "experiment.log", "model.mpk", "report.html"] {
        println!("{file}: {}", artifacts.join(file).is_file());
    }
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_the_training_of_the_guide() {
    crate::page_output::page_prints!("basic-workflow/training.md");
}
