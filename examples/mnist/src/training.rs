//! The run, and the look at test images after it.

use crate::data::{MnistBatch, MnistBatcher, Splits};
use crate::model::Model;
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::lr_scheduler::CosineAnnealingLrSchedulerConfig;
use burn::module::AutodiffModule;
use burn::optim::{AdamWConfig, EmaConfig, GradientClippingConfig};
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::backend::AutodiffBackend;
use burn::train::checkpoint::{
    ComposedCheckpointingStrategy, KeepLastNCheckpoints, MetricCheckpointingStrategy,
};
use burn::train::history::{Aggregate, Direction};
use burn::train::metric::*;
use burn::train::{
    EarlyStopping, EvaluationSummary, EvaluatorBuilder, LearnerBuilder, NanPolicy, Split, TrainError,
};
use std::path::Path;
use std::sync::Arc;

/// Configuration of a training run.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    #[config(default = 20)]
    pub num_epochs: usize,
    #[config(default = 64)]
    pub batch_size: usize,
    #[config(default = 2e-3)]
    pub learning_rate: f64,
    #[config(default = 42)]
    pub seed: u64,
}

// ANCHOR: train
/// Trains a model, and returns the one with averaged weights. A run that was stopped or killed goes on where
/// it was.
///
/// # Errors
/// If data cannot be read, or the folder cannot be written.
pub fn train<B: AutodiffBackend>(
    artifacts: &Path,
    config: &TrainingConfig,
    splits: &Splits,
    device: &B::Device,
) -> Result<Model<B>, TrainError> {
    B::seed(config.seed);
    let train = DataLoaderBuilder::new(MnistBatcher::<B> { device: device.clone() })
        .batch_size(config.batch_size)
        .shuffle(config.seed)
        .build(splits.train.clone());
    let valid = loader::<B::InnerBackend>(config, splits, Split::Valid, device);
    let steps = config.num_epochs * train.num_batches();
    let schedule = CosineAnnealingLrSchedulerConfig::new(config.learning_rate, steps).init();

    LearnerBuilder::new(artifacts)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .metric_train_numeric(AccuracyMetric::new())
        .metric_valid_numeric(AccuracyMetric::new())
        .metric_train_numeric(IterationSpeedMetric::new())
        .metric_train_numeric(CpuUsageMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .with_background_checkpoints()
        .with_checkpointing_strategy(
            ComposedCheckpointingStrategy::new().with(KeepLastNCheckpoints::new(2)).with(
                MetricCheckpointingStrategy::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid),
            ),
        )
        .early_stopping(
            EarlyStopping::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid, 5).with_warm_up(5),
        )
        .grad_clipping(GradientClippingConfig::GlobalNorm(5.0))
        .nan_policy(NanPolicy::Skip)
        .json_lines()
        .tensorboard()
        .html_report()
        .devices(vec![device.clone()])
        .num_epochs(config.num_epochs)
        .summary()
        .resume()
        .build(Model::<B>::new(device), AdamWConfig::new().init(), schedule)
        .with_ema(EmaConfig::new().with_decay(0.98).with_warm_up(true))
        .try_fit(train, valid)
}
// ANCHOR_END: train

// ANCHOR: test
/// Looks at a model with the images of the test split.
///
/// # Errors
/// If data cannot be read, or the folder cannot be written.
pub fn test<B: AutodiffBackend>(
    artifacts: &Path,
    config: &TrainingConfig,
    splits: &Splits,
    model: &Model<B>,
    device: &B::Device,
) -> Result<EvaluationSummary, TrainError> {
    EvaluatorBuilder::new(artifacts)
        .metric_numeric(LossMetric::new())
        .metric_numeric(AccuracyMetric::new())
        .metric_numeric(FBetaMetric::new(1.0))
        .metric_numeric(AurocMetric::new())
        .metric(ConfusionMatrixMetric::new())
        .build(model.valid())
        .try_eval(loader::<B::InnerBackend>(config, splits, Split::Test, device))
}
// ANCHOR_END: test

fn loader<B: Backend>(
    config: &TrainingConfig,
    splits: &Splits,
    split: Split,
    device: &B::Device,
) -> Arc<dyn DataLoader<MnistBatch<B>>> {
    let images = if split == Split::Test { &splits.test } else { &splits.valid };
    DataLoaderBuilder::new(MnistBatcher::<B> { device: device.clone() })
        .batch_size(config.batch_size)
        .build(images.clone())
}
