//! The loss scale of mixed precision goes on with a checkpoint.

use crate::fixture::{B, Silent};
use burn_core::module::{AutodiffModule, Module, Param};
use burn_core::record::CompactRecorder;
use burn_core::tensor::{AutodiffBackend, Backend, Tensor, TensorData};
use burn_dataset::InMemDataset;
use burn_dataset::dataloader::{DataLoader, DataLoaderBuilder};
use burn_optim::{GradScalerConfig, SgdConfig};
use burn_train::{LearnerBuilder, RegressionOutput, TrainOutput, TrainStep, ValidStep};
use std::path::Path;
use std::sync::Arc;

/// A product whose gradient is its input.
#[derive(Module, Debug)]
struct Product<B: Backend> {
    weight: Param<Tensor<B, 2>>,
}

impl<B: Backend> Product<B> {
    fn forward(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
        let output = inputs.clone().matmul(self.weight.val());
        RegressionOutput::new(output.clone().sum(), output, inputs)
    }
}

impl<B: AutodiffBackend> TrainStep<Tensor<B, 2>, RegressionOutput<B>> for Product<B> {
    fn step(&self, inputs: Tensor<B, 2>) -> TrainOutput<RegressionOutput<B>> {
        let item = self.forward(inputs);
        TrainOutput::from_loss(self, item.loss.clone(), item)
    }
}

impl<B: Backend> ValidStep<Tensor<B, 2>, RegressionOutput<B>> for Product<B> {
    fn step(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
        self.forward(inputs)
    }
}

/// Four batches with the input 4.
fn loader<B: Backend>() -> Arc<dyn DataLoader<Tensor<B, 2>>> {
    let batcher = |items: Vec<f32>| {
        let rows = items.len();
        Tensor::<B, 2>::from_data(TensorData::new(items, [rows, 1]), &Default::default())
    };
    DataLoaderBuilder::new(batcher).batch_size(1).build(InMemDataset::new(vec![4.0; 4]))
}

/// Runs up to an epoch, after the newest checkpoint, and returns the weight. A step moves it by 0.01.
fn fit(folder: &Path, epochs: usize) -> f64 {
    let model = Product::<B> { weight: Param::from_data([[0.0]], &Default::default()) };
    let learner = LearnerBuilder::new(folder)
        .renderer(Silent)
        .with_application_logger(None)
        .with_file_checkpointer(CompactRecorder::new())
        .mixed_precision(GradScalerConfig::new().with_initial_scale(2_f64.powi(127)))
        .resume()
        .num_epochs(epochs)
        .build(model, SgdConfig::new().init(), 0.0025);
    let model = learner.fit(loader(), loader());
    model.valid().weight.val().into_data().to_f64()[0]
}

#[test]
fn x_302_a_resumed_run_has_the_loss_scale_of_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    // 4 times 2^127 is beyond f32, and so is half of it: the third step is the first that counts.
    let first = fit(folder.path(), 1);
    assert!((first + 0.02).abs() < 1e-6, "{first}");
    assert!(folder.path().join("checkpoint/grad-scaler-1.mpk").is_file());
    // With the initial scale two of these steps would be skipped too.
    let second = fit(folder.path(), 2);
    assert!((second + 0.06).abs() < 1e-6, "{second}");
}
