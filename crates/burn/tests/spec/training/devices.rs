//! Data parallel training: several devices with averaged gradients.

use super::learner::Silent;
use burn::backend::ndarray::NdArrayDevice;
use burn::backend::router::duo::MultiDevice;
use burn::backend::{Autodiff, NdArray, Remote, RemoteDevice, Router};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::InMemDataset;
use burn::module::{AutodiffModule, Param};
use burn::nn::Linear;
use burn::optim::{GradientClippingConfig, MomentumConfig, SgdConfig};
use burn::prelude::*;
use burn::record::{FullPrecisionSettings, NamedMpkFileRecorder};
use burn::tensor::backend::AutodiffBackend;
use burn::train::metric::{LossMetric, MeanAbsoluteErrorMetric};
use burn::train::{LearnerBuilder, RegressionOutput, TrainOutput, TrainStep, ValidStep};
use std::path::Path;
use std::sync::Arc;

type Batch<B> = (Tensor<B, 2>, Tensor<B, 2>);

/// Two layers with certain weights.
#[derive(Module, Debug)]
struct Model<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
}

impl<B: Backend> Model<B> {
    fn new(device: &B::Device) -> Self {
        let linear = |weight: [[f64; 2]; 2], bias: [f64; 2]| Linear {
            weight: Param::from_data(weight, device),
            bias: Some(Param::from_data(bias, device)),
            lora: Default::default(),
        };
        Model {
            first: linear([[0.5, -0.3], [0.2, 0.8]], [0.1, -0.1]),
            second: linear([[1.0, 0.4], [-0.6, 0.7]], [0.0, 0.2]),
        }
    }

    fn forward(&self, (inputs, targets): Batch<B>) -> RegressionOutput<B> {
        let output = self.second.forward(self.first.forward(inputs).tanh());
        RegressionOutput::new((output.clone() - targets.clone()).square().mean(), output, targets)
    }

    fn weights(&self) -> Vec<f64> {
        let weights = [self.first.weight.val(), self.second.weight.val()];
        weights.into_iter().flat_map(|weight| weight.into_data().to_f64()).collect()
    }
}

impl<B: AutodiffBackend> TrainStep<Batch<B>, RegressionOutput<B>> for Model<B> {
    fn step(&self, batch: Batch<B>) -> TrainOutput<RegressionOutput<B>> {
        let item = self.forward(batch);
        TrainOutput::from_loss(self, item.loss.clone(), item)
    }
}

impl<B: Backend> ValidStep<Batch<B>, RegressionOutput<B>> for Model<B> {
    fn step(&self, batch: Batch<B>) -> RegressionOutput<B> {
        self.forward(batch)
    }
}

/// 44 points of a curve, in their order, in batches on one device.
fn loader<B: Backend>(batch_size: usize, device: &B::Device) -> Arc<dyn DataLoader<Batch<B>>> {
    let device = device.clone();
    let batcher = move |items: Vec<f64>| {
        let tensor = |numbers: Vec<f64>| {
            Tensor::<B, 2>::from_data(TensorData::new(numbers, [items.len(), 2]), &device)
        };
        let inputs = items.iter().flat_map(|x| [*x, x * x]).collect();
        let targets = items.iter().flat_map(|x| [x.sin(), (2.0 * x).cos()]).collect();
        (tensor(inputs), tensor(targets))
    };
    let points = (0..44).map(|i| f64::from(i) / 11.0 - 2.0).collect();
    DataLoaderBuilder::new(batcher).batch_size(batch_size).build(InMemDataset::new(points))
}

/// Method that trains; with `fit` nothing moves the batches to their devices but the operations of the step.
#[derive(Clone, Copy, Debug)]
enum Way {
    Fit,
    FitParallel,
}

/// Trains on all of the devices, on the epochs up to `epochs` after a checkpoint.
fn train<B: AutodiffBackend>(
    folder: &Path,
    devices: &[B::Device],
    (batch_size, epochs, resume): (usize, usize, Option<usize>),
    way: Way,
) -> Vec<f64> {
    let momentum = MomentumConfig { momentum: 0.9, dampening: 0.0, nesterov: false };
    let mut builder = LearnerBuilder::new(folder)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(MeanAbsoluteErrorMetric::new())
        .with_file_checkpointer(NamedMpkFileRecorder::<FullPrecisionSettings>::new())
        .grad_clipping(GradientClippingConfig::GlobalNorm(1.0))
        .renderer(Silent)
        .with_application_logger(None)
        .devices(devices.to_vec())
        .num_epochs(epochs);
    if let Some(epoch) = resume {
        builder = builder.checkpoint(epoch);
    }
    let optim = SgdConfig::new().with_momentum(Some(momentum)).init();
    let learner = builder.build(Model::<B>::new(&devices[0]), optim, 0.05);
    let (train, valid) = (loader(batch_size, &devices[0]), loader(11, &devices[0]));
    let model = match way {
        Way::Fit => learner.fit(train, valid),
        Way::FitParallel => learner.fit_parallel(train, valid),
    };
    assert_eq!(model.devices(), [devices[0].clone()]);
    model.valid().weights()
}

fn check<B: AutodiffBackend>(devices: [B::Device; 2]) {
    let one = tempfile::tempdir().unwrap();
    // Batches of 16, 16 and 12, which are 8 + 8, 8 + 8 and 8 + 4 on two devices.
    let expected = train::<B>(one.path(), &devices[..1], (16, 4, None), Way::Fit);
    for way in [Way::Fit, Way::FitParallel] {
        let two = tempfile::tempdir().unwrap();
        let found = train::<B>(two.path(), &devices, (8, 4, None), way);
        let close = |x: &f64, y: &f64| (x - y).abs() <= 1e-6;
        let all_close = found.iter().zip(&expected).all(|(x, y)| close(x, y));
        assert!(all_close, "{way:?}: {found:?}, expected {expected:?}");

        let loss = std::fs::read_to_string(two.path().join("train/epoch-1/Loss.log")).unwrap();
        assert_eq!(loss.lines().count(), 6, "each batch of each device is measured");
    }
}

#[test]
fn x_306_two_devices_of_a_router_equal_one_with_the_double_batch() {
    type B = Autodiff<Router<(NdArray<f64>, NdArray<f64>)>>;
    check::<B>([MultiDevice::B1(NdArrayDevice::Cpu), MultiDevice::B2(NdArrayDevice::Cpu)]);
}

#[test]
fn x_306_two_remote_devices_equal_one_with_the_double_batch() {
    let device = || RemoteDevice::in_process::<NdArray>(NdArrayDevice::Cpu);
    check::<Autodiff<Remote>>([device(), device()]);
}

#[test]
fn x_306_a_device_may_be_given_twice_and_a_run_goes_on_bit_for_bit() {
    type B = Autodiff<NdArray<f64>>;
    let devices = [NdArrayDevice::Cpu; 2];
    check::<B>(devices);
    let (whole, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = train::<B>(whole.path(), &devices, (8, 4, None), Way::Fit);
    train::<B>(stopped.path(), &devices, (8, 2, None), Way::Fit);
    assert_eq!(train::<B>(stopped.path(), &devices, (8, 4, Some(2)), Way::Fit), expected);
}

#[test]
fn x_306_without_devices_it_is_an_error() {
    type B = Autodiff<NdArray<f64>>;
    let folder = tempfile::tempdir().unwrap();
    let device = NdArrayDevice::Cpu;
    let learner = LearnerBuilder::new(folder.path()).renderer(Silent).with_application_logger(None).build(
        Model::<B>::new(&device),
        SgdConfig::new().init(),
        0.1,
    );
    let error = learner.try_fit_parallel(loader(8, &device), loader(8, &device)).unwrap_err();
    assert!(error.to_string().contains("LearnerBuilder::devices"), "{error}");
}
