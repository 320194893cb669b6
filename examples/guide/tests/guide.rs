//! The guide at a small size: everything that the program does, in seconds.

#[path = "../examples/guide.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use argh::FromArgs;
use burn::backend::Autodiff;
use burn::backend::ndarray::{NdArray, NdArrayDevice};
use burn::data::dataset::Dataset;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::{DigitsDataset, MnistItem};
use burn::optim::AdamConfig;
use burn::prelude::*;
use guide::inference;
use guide::model::{Model, ModelConfig};
use guide::training::{TrainingConfig, train};
use std::path::Path;
use std::sync::Arc;

type Images = Arc<dyn Dataset<MnistItem>>;

fn config() -> TrainingConfig {
    TrainingConfig::new(ModelConfig::new(10, 64), AdamConfig::new())
        .with_num_epochs(2)
        .with_num_workers(1)
        .with_learning_rate(2e-3)
}

fn images() -> (Images, Images) {
    let (train, test) = DigitsDataset::train_test_mnist(7);
    (Arc::new(PartialDataset::new(train, 0, 640)), Arc::new(PartialDataset::new(test, 0, 128)))
}

fn run(folder: &Path) -> Model<Autodiff<NdArray>> {
    let (images, test) = images();
    train(folder, &config(), images, test, NdArrayDevice::Cpu).expect("the run succeeds")
}

#[test]
fn ex_001_the_program_runs_on_few_images_without_a_terminal_or_a_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let artifacts = folder.path().to_str().expect("text");
    let arguments = ["--images", "128", "--epochs", "1", "--artifacts", artifacts];
    let accuracy =
        program::run(&program::Args::from_args(&["guide"], &arguments).expect("these are its options"))
            .expect("the run succeeds");
    assert!((0.0..=100.0).contains(&accuracy), "{accuracy}");
    for file in ["config.json", "model.mpk", "checkpoint/model-1.mpk", "train/epoch-1/Loss.log"] {
        assert!(folder.path().join(file).is_file(), "{file} is missing");
    }
    // Two batches of 64 images, and no third.
    let losses = std::fs::read_to_string(folder.path().join("train/epoch-1/Loss.log")).expect("a log");
    assert_eq!(losses.lines().count(), 2, "{losses}");
}

#[test]
fn tr_014_fit_learns_to_read_digits_in_two_epochs() {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path());
    let model = inference::load::<NdArray>(folder.path(), &NdArrayDevice::Cpu).expect("the run left a model");
    let (_, test) = images();
    let correct = inference::count_correct(&model, &*test, &NdArrayDevice::Cpu);
    // Guessing gets 13 of 128.
    assert!(correct >= 64, "{correct} of 128");
}

#[test]
fn tr_027_the_artifact_folder_has_its_layout() {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path());
    for file in [
        "config.json",
        "experiment.log",
        "model.mpk",
        "checkpoint/model-2.mpk",
        "checkpoint/optim-2.mpk",
        "checkpoint/scheduler-2.mpk",
        "train/epoch-1/Accuracy.log",
        "train/epoch-1/Loss.log",
        "valid/epoch-2/Accuracy.log",
        "valid/epoch-2/Loss.log",
    ] {
        assert!(folder.path().join(file).is_file(), "{file} is missing");
    }
}

#[test]
fn tr_033_a_saved_run_predicts_on_a_backend_without_gradients() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, test) = images();
    let device = NdArrayDevice::Cpu;
    let trained = run(folder.path());
    let loaded = inference::load::<NdArray>(folder.path(), &device).expect("the run left a model");
    let items: Vec<MnistItem> = (0..64).filter_map(|index| test.get(index)).collect();
    let predict = |model: &Model<NdArray>| inference::predict(model, items.clone(), &device);
    let (before, after) = (predict(&trained.valid()), predict(&loaded));
    // The record has half precision, which may turn an image on the edge between two digits.
    let same = before.iter().zip(&after).filter(|(before, after)| before == after).count();
    assert!(same >= 62, "{same} of 64 predictions are the same");
}

#[test]
fn a_missing_artifact_folder_is_an_error_that_names_the_file() {
    let Err(error) = inference::load::<NdArray>(Path::new("no/such/folder"), &NdArrayDevice::Cpu) else {
        panic!("there is nothing to load");
    };
    assert!(error.to_string().contains("no/such/folder/config.json"), "{error}");
}
