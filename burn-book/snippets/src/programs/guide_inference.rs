// ANCHOR: program
use burn::backend::NdArray;
use burn::data::dataset::Dataset;
use burn::data::dataset::vision::DigitsDataset;
use burn::optim::AdamConfig;
use burn::prelude::*;
use burn::record::CompactRecorder;
use guide::inference;
use guide::model::ModelConfig;
use guide::training::TrainingConfig;
use std::error::Error;
use std::path::Path;

type B = NdArray;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Default::default();
    let artifacts = Path::new("artifacts/untrained");
    // No run has left a model here yet: the error names the file.
    println!("{}", inference::load::<B>(artifacts, &device).expect_err("there is no such folder"));

    // The files of a run, with the weights of a model that is not trained.
    let config = TrainingConfig::new(ModelConfig::new(10, 32), AdamConfig::new());
    std::fs::create_dir_all(artifacts)?;
    config.save(artifacts.join("config.json"))?;
    config.model.init::<B>(&device).save_file(artifacts.join("model"), &CompactRecorder::new())?;

    let model = inference::load::<B>(artifacts, &device)?;
    let (_train, test) = DigitsDataset::train_test_mnist(42);
    let digits = inference::predict(&model, test.iter().take(5).collect(), &device);
    println!("{} digits were guessed", digits.len());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_the_inference_of_the_guide() {
    crate::page_output::page_prints!("basic-workflow/inference.md");
}
