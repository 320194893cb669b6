//! The training run.

use crate::data::{MnistBatch, MnistBatcher};
use crate::model::{Model, ModelConfig};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::vision::MnistItem;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::AdamConfig;
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::backend::AutodiffBackend;
use burn::train::checkpoint::{
    CheckpointStore, ComposedCheckpointingStrategy, KeepLastNCheckpoints, MetricCheckpointingStrategy,
};
use burn::train::history::{Aggregate, Direction};
use burn::train::metric::{AccuracyMetric, LossMetric};
use burn::train::{ClassificationOutput, LearnerBuilder, Split, TrainOutput, TrainStep, ValidStep};
use std::error::Error;
use std::path::Path;

// ANCHOR: steps
impl<B: Backend> Model<B> {
    /// Scores and loss for a batch.
    pub fn forward_classification(&self, batch: MnistBatch<B>) -> ClassificationOutput<B> {
        let MnistBatch { images, targets } = batch;
        let output = self.forward(images);
        let loss =
            CrossEntropyLossConfig::new().init(&output.device()).forward(output.clone(), targets.clone());
        ClassificationOutput::new(loss, output, targets)
    }
}

impl<B: AutodiffBackend> TrainStep<MnistBatch<B>, ClassificationOutput<B>> for Model<B> {
    fn step(&self, batch: MnistBatch<B>) -> TrainOutput<ClassificationOutput<B>> {
        let item = self.forward_classification(batch);
        TrainOutput::new(self, item.loss.backward(), item)
    }
}

impl<B: Backend> ValidStep<MnistBatch<B>, ClassificationOutput<B>> for Model<B> {
    fn step(&self, batch: MnistBatch<B>) -> ClassificationOutput<B> {
        self.forward_classification(batch)
    }
}
// ANCHOR_END: steps

// ANCHOR: config
/// Everything that decides how a run goes.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    pub model: ModelConfig,
    pub optimizer: AdamConfig,
    #[config(default = 10)]
    pub num_epochs: usize,
    #[config(default = 64)]
    pub batch_size: usize,
    #[config(default = 4)]
    pub num_workers: usize,
    #[config(default = 42)]
    pub seed: u64,
    #[config(default = 1.0e-4)]
    pub learning_rate: f64,
}
// ANCHOR_END: config

// ANCHOR: train
/// Trains a model on `train`, and returns that of the epoch with the lowest loss on `valid`. Everything is in
/// `artifact_dir`: the configuration, logs, checkpoints, a report and the model.
///
/// # Errors
/// When the folder cannot be written, or data cannot be read.
pub fn train<B: AutodiffBackend>(
    artifact_dir: &Path,
    config: &TrainingConfig,
    train: impl Dataset<MnistItem> + 'static,
    valid: impl Dataset<MnistItem> + 'static,
    device: B::Device,
) -> Result<Model<B>, Box<dyn Error>> {
    std::fs::create_dir_all(artifact_dir)?;
    config.save(artifact_dir.join("config.json"))?;
    B::seed(config.seed);

    let batcher_train = MnistBatcher::<B>::new(device.clone());
    let batcher_valid = MnistBatcher::<B::InnerBackend>::new(device.clone());
    let dataloader_train = DataLoaderBuilder::new(batcher_train)
        .batch_size(config.batch_size)
        .shuffle(config.seed)
        .num_workers(config.num_workers)
        .build(train);
    let dataloader_valid = DataLoaderBuilder::new(batcher_valid)
        .batch_size(config.batch_size)
        .num_workers(config.num_workers)
        .build(valid);

    let lowest_loss =
        MetricCheckpointingStrategy::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid);
    let learner = LearnerBuilder::new(artifact_dir)
        .metric_train_numeric(AccuracyMetric::new())
        .metric_valid_numeric(AccuracyMetric::new())
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .with_checkpointing_strategy(
            ComposedCheckpointingStrategy::new().with(KeepLastNCheckpoints::new(2)).with(lowest_loss),
        )
        .html_report()
        .devices(vec![device.clone()])
        .num_epochs(config.num_epochs)
        .summary()
        .build(config.model.init::<B>(&device), config.optimizer.init(), config.learning_rate);

    let mut model = learner.try_fit(dataloader_train, dataloader_valid)?;
    let checkpoints = CheckpointStore::open(artifact_dir.join("checkpoint"))?;
    if let Some(best) = checkpoints.best((Split::Valid, "Loss"), (Aggregate::Mean, Direction::Lowest))? {
        model = best.load_model(model, &CompactRecorder::new(), &device)?;
    }
    model.clone().save_file(artifact_dir.join("model"), &CompactRecorder::new())?;
    Ok(model)
}
// ANCHOR_END: train
