//! Mixed precision with a scaled loss.

use super::learner::Silent;
use burn::backend::amp::Half;
use burn::backend::{Amp, Autodiff, NdArray};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::InMemDataset;
use burn::module::{AutodiffModule, Param};
use burn::optim::{GradScalerConfig, SgdConfig};
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::backend::AutodiffBackend;
use burn::train::{LearnerBuilder, RegressionOutput, TrainOutput, TrainStep, ValidStep};
use std::path::Path;
use std::sync::Arc;

/// A product whose gradient is 1e-8, which is 0 in `f16`.
#[derive(Module, Debug)]
struct Model<B: Backend> {
    weight: Param<Tensor<B, 2>>,
}

impl<B: Backend> Model<B> {
    fn forward(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
        let output = inputs.clone().matmul(self.weight.val());
        RegressionOutput::new(output.clone().sum() * 1e-8, output, inputs)
    }
}

impl<B: AutodiffBackend> TrainStep<Tensor<B, 2>, RegressionOutput<B>> for Model<B> {
    fn step(&self, inputs: Tensor<B, 2>) -> TrainOutput<RegressionOutput<B>> {
        let item = self.forward(inputs);
        TrainOutput::from_loss(self, item.loss.clone(), item)
    }
}

impl<B: Backend> ValidStep<Tensor<B, 2>, RegressionOutput<B>> for Model<B> {
    fn step(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
        self.forward(inputs)
    }
}

type B = Autodiff<Amp<NdArray, Half>>;

fn loader<B: Backend>(rows: usize) -> Arc<dyn DataLoader<Tensor<B, 2>>> {
    let batcher = |items: Vec<f32>| {
        let rows = items.len();
        Tensor::<B, 2>::from_data(TensorData::new(items, [rows, 1]), &Default::default())
    };
    DataLoaderBuilder::new(batcher).batch_size(1).build(InMemDataset::new(vec![1.0; rows]))
}

/// One epoch of four steps with a rate of 1e6: a gradient of 1e-8 moves the weight by 0.01 each time.
fn fit(folder: &Path, scale: Option<f64>, resume: bool) -> f64 {
    let mut builder = LearnerBuilder::new(folder)
        .renderer(Silent)
        .with_application_logger(None)
        .with_file_checkpointer(CompactRecorder::new());
    if let Some(scale) = scale {
        builder = builder.mixed_precision(GradScalerConfig::new().with_initial_scale(scale));
    }
    if resume {
        builder = builder.resume().num_epochs(2);
    }
    let model = Model::<B> { weight: Param::from_data([[0.0]], &Default::default()) };
    let model = builder.build(model, SgdConfig::new().init(), 1e6).fit(loader(4), loader(1));
    model.valid().weight.val().into_data().to_f64()[0]
}

#[test]
fn x_302_a_scaled_loss_keeps_gradients_that_f16_has_not() {
    let folder = || tempfile::tempdir().unwrap();
    assert_eq!(fit(folder().path(), None, false), 0.0, "without a scale nothing is learnt");
    let moved = fit(folder().path(), Some(65536.0), false);
    assert!((moved + 0.04).abs() < 1e-4, "{moved}");
}

#[test]
fn x_302_a_step_that_overflows_is_skipped_and_the_scale_is_kept_with_the_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    // 1e-8 times 2^44 is beyond f16, and so is half of it; the third step is the first that counts.
    let moved = fit(folder.path(), Some(f64::from(1_u32 << 22) * f64::from(1_u32 << 22)), false);
    assert!((moved + 0.02).abs() < 1e-4, "{moved}");
    assert!(folder.path().join("checkpoint/grad-scaler-1.mpk").is_file());
    // The resumed epoch begins with the scale that the first one found: all four steps count.
    let resumed = fit(folder.path(), Some(f64::from(1_u32 << 22) * f64::from(1_u32 << 22)), true);
    assert!((resumed + 0.06).abs() < 1e-4, "{resumed}");
}
