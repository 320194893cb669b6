//! Training by the `Learner`, which resumes after a rank died.

use crate::RunConfig;
use burn::collective::{Communicator, DataParallel};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::vision::MnistItem;
use burn::optim::AdamConfig;
use burn::prelude::*;
use burn::record::{BinFileRecorder, FullPrecisionSettings};
use burn::tensor::backend::AutodiffBackend;
use burn::train::metric::{AccuracyMetric, LossMetric};
use burn::train::{LearnerBuilder, TrainError};
use guide::data::MnistBatcher;
use guide::model::{Model, ModelConfig};
use std::path::Path;

// ANCHOR: learner
/// Trains a model on all ranks, and returns it. Logs and checkpoints are in `artifacts`, a folder of rank 0
/// that the others can read; a run that is started again goes on after its newest checkpoint, on any number
/// of ranks.
///
/// # Errors
/// When a rank ended or failed, or files cannot be written.
pub fn train<B: AutodiffBackend>(
    artifacts: &Path,
    config: &RunConfig,
    (train, valid): (impl Dataset<MnistItem> + 'static, impl Dataset<MnistItem> + 'static),
    communicator: Communicator,
    device: &B::Device,
) -> Result<Model<B>, TrainError> {
    B::seed(config.seed);
    let model = ModelConfig::new(10, config.hidden_size).with_dropout(config.dropout).init::<B>(device);
    let learner = LearnerBuilder::new(artifacts)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .metric_valid_numeric(AccuracyMetric::new())
        .with_file_checkpointer(BinFileRecorder::<FullPrecisionSettings>::new())
        .devices(vec![device.clone()])
        .num_epochs(config.num_epochs)
        .resume()
        .build(model, AdamConfig::new().init(), config.learning_rate)
        .with_data_parallel(DataParallel::new(communicator));
    // `batch_size` is that of all ranks: each takes its part of every batch.
    let train = DataLoaderBuilder::new(MnistBatcher::<B>::new(device.clone()))
        .batch_size(config.batch_size)
        .shuffle(config.seed)
        .build(train);
    let valid = DataLoaderBuilder::new(MnistBatcher::<B::InnerBackend>::new(device.clone()))
        .batch_size(config.batch_size)
        .build(valid);
    learner.try_fit(train, valid)
}
// ANCHOR_END: learner
