//! The guide on candle and on LibTorch, at a small size.
#![cfg(any(feature = "candle", feature = "tch"))]

#[cfg(feature = "candle")]
use burn::backend::Candle;
#[cfg(feature = "tch")]
use burn::backend::LibTorch;
use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::Dataset;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::{DigitsDataset, MnistItem};
use burn::optim::AdamConfig;
use burn::tensor::backend::Backend;
use guide::inference;
use guide::model::{Model, ModelConfig};
use guide::training::{TrainingConfig, train};
use std::path::Path;
use std::sync::Arc;

type Images = Arc<dyn Dataset<MnistItem>>;

fn images() -> (Images, Images) {
    let (images, test) = DigitsDataset::train_test_mnist(7);
    (Arc::new(PartialDataset::new(images, 0, 640)), Arc::new(PartialDataset::new(test, 0, 128)))
}

fn correct<B: Backend>(folder: &Path, test: &Images) -> usize {
    let model = inference::load::<B>(folder, &Default::default()).expect("the run left a model");
    inference::count_correct(&model, &**test, &Default::default())
}

/// Trains on `B`; NdArray reads as many digits with the model.
fn learns_to_read_digits<B: Backend>(name: &str) {
    let (images, test) = images();
    let config = TrainingConfig::new(ModelConfig::new(10, 64), AdamConfig::new())
        .with_num_epochs(2)
        .with_num_workers(1)
        .with_learning_rate(2e-3);
    let folder = tempfile::tempdir().expect("a folder");
    let device = Default::default();
    let trained: Result<Model<Autodiff<B>>, _> = train(folder.path(), &config, images, test.clone(), device);
    trained.expect("the run succeeds");
    let here = correct::<B>(folder.path(), &test);
    // Guessing gets 13 of 128.
    assert!(here >= 64, "{here} of 128");
    let there = correct::<NdArray>(folder.path(), &test);
    assert!(here.abs_diff(there) <= 1, "{here} on {name}, {there} on ndarray");
}

#[cfg(feature = "candle")]
#[test]
fn candle_learns_to_read_digits_and_ndarray_reads_them_with_its_model() {
    learns_to_read_digits::<Candle>("candle");
}

#[cfg(feature = "tch")]
#[test]
fn libtorch_learns_to_read_digits_and_ndarray_reads_them_with_its_model() {
    learns_to_read_digits::<LibTorch>("LibTorch");
}
