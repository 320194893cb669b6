//! The guide on a GPU, at a small size.
#![cfg(feature = "wgpu")]

use burn::backend::wgpu::WgpuDevice;
use burn::backend::{Autodiff, Wgpu};
use burn::data::dataset::Dataset;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::{DigitsDataset, MnistItem};
use burn::optim::AdamConfig;
use guide::inference;
use guide::model::{Model, ModelConfig};
use guide::training::{TrainingConfig, train};
use std::sync::Arc;

type Images = Arc<dyn Dataset<MnistItem>>;

#[test]
fn a_gpu_learns_to_read_digits_in_two_epochs() {
    let device = WgpuDevice::default();
    device.open().expect("this test needs a device");
    let (images, test) = DigitsDataset::train_test_mnist(7);
    let images: Images = Arc::new(PartialDataset::new(images, 0, 640));
    let test: Images = Arc::new(PartialDataset::new(test, 0, 128));
    let config = TrainingConfig::new(ModelConfig::new(10, 64), AdamConfig::new())
        .with_num_epochs(2)
        .with_num_workers(1)
        .with_learning_rate(2e-3);
    let folder = tempfile::tempdir().expect("a folder");
    let trained: Result<Model<Autodiff<Wgpu>>, _> =
        train(folder.path(), &config, images, test.clone(), device);
    trained.expect("the run succeeds");
    let model = inference::load::<Wgpu>(folder.path(), &device).expect("the run left a model");
    let correct = inference::count_correct(&model, &*test, &device);
    // Guessing gets 13 of 128.
    assert!(correct >= 64, "{correct} of 128");
}
