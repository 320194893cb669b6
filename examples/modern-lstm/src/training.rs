//! The run.

use crate::model::SequenceModel;
use crate::sequence::{Sequence, SequenceBatcher, Series, SeriesPart};
use crate::stacked::StackedLstmConfig;
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::lr_scheduler::CosineAnnealingLrSchedulerConfig;
use burn::optim::{AdamConfig, GradientClippingConfig};
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::backend::AutodiffBackend;
use burn::train::LearnerBuilder;
use burn::train::metric::LossMetric;
use std::error::Error;
use std::path::Path;

/// Configuration of a training run.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    pub model: StackedLstmConfig,
    /// Series to learn from.
    pub series: Series,
    /// Number of sequences to learn from, where they are generated.
    #[config(default = 4096)]
    pub sequences: usize,
    #[config(default = 10)]
    pub num_epochs: usize,
    #[config(default = 64)]
    pub batch_size: usize,
    #[config(default = 5e-3)]
    pub learning_rate: f64,
    #[config(default = 42)]
    pub seed: u64,
}

impl TrainingConfig {
    /// Returns the sequences of a part of the series.
    pub fn sequences_of(&self, part: SeriesPart) -> InMemDataset<Sequence> {
        self.series.sequences(part, self.sequences, self.seed)
    }
}

// ANCHOR: train
/// Trains a model, and leaves its configuration, logs, checkpoints and weights in `artifacts`.
///
/// # Errors
/// If the folder cannot be written.
pub fn train<B: AutodiffBackend>(
    artifacts: &Path,
    config: &TrainingConfig,
    device: &B::Device,
) -> Result<SequenceModel<B>, Box<dyn Error>> {
    std::fs::create_dir_all(artifacts)?;
    config.save(artifacts.join("config.json"))?;
    B::seed(config.seed);
    let train = DataLoaderBuilder::new(SequenceBatcher::<B> { device: device.clone() })
        .batch_size(config.batch_size)
        .shuffle(config.seed)
        .build(config.sequences_of(SeriesPart::Train));
    let valid = DataLoaderBuilder::new(SequenceBatcher::<B::InnerBackend> { device: device.clone() })
        .batch_size(config.batch_size)
        .build(config.sequences_of(SeriesPart::Valid));
    let steps = config.num_epochs * train.num_batches();
    let schedule = CosineAnnealingLrSchedulerConfig::new(config.learning_rate, steps).init();
    let model = LearnerBuilder::new(artifacts)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .grad_clipping(GradientClippingConfig::GlobalNorm(1.0))
        .devices(vec![device.clone()])
        .num_epochs(config.num_epochs)
        .build(SequenceModel::<B>::new(&config.model, device), AdamConfig::new().init(), schedule)
        .try_fit(train, valid)?;
    model.clone().save_file(artifacts.join("model"), &CompactRecorder::new())?;
    Ok(model)
}
// ANCHOR_END: train
