//! The guide on a GPU, at a small size.
#![cfg(feature = "wgpu")]

use burn::backend::wgpu::WgpuDevice;
use burn::backend::{Autodiff, Fusion, Metal, Vulkan, WebGpu, Wgpu};
use burn::data::dataset::Dataset;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::{DigitsDataset, MnistItem};
use burn::optim::AdamConfig;
use burn::tensor::Tensor;
use burn::tensor::backend::AutodiffBackend;
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

/// The gradient of the sum of cubes: three squares.
fn slopes<B: AutodiffBackend>() -> Vec<f32> {
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &B::Device::default()).require_grad();
    let gradients = x.clone().powi_scalar(3).sum().backward();
    x.grad(&gradients).expect("it is tracked").into_data().iter::<f32>().collect()
}

/// `Wgpu` is fused already, by the feature.
#[test]
fn fusion_of_wgpu_and_the_names_of_graphics_apis_are_backends() {
    for found in [
        slopes::<Autodiff<Fusion<Wgpu>>>(),
        slopes::<Autodiff<Fusion<Wgpu<f32, i32>>>>(),
        slopes::<Autodiff<Vulkan>>(),
        slopes::<Autodiff<Metal>>(),
        slopes::<Autodiff<WebGpu>>(),
    ] {
        assert_eq!(found, [3.0, 12.0, 27.0]);
    }
}
