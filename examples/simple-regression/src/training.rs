//! The run, and how good its model is on rows that it never saw.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::transform::SplitDataset;
use burn::data::dataset::{Dataset, InMemDataset};
use burn::optim::AdamConfig;
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::backend::AutodiffBackend;
use burn::train::LearnerBuilder;
use burn::train::metric::LossMetric;

use crate::model::{RegressionModel, RegressionModelConfig};
use crate::table::{Row, RowBatcher, Scale};

/// Configuration of a training run.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    pub optimizer: AdamConfig,
    #[config(default = 40)]
    pub num_epochs: usize,
    #[config(default = 32)]
    pub batch_size: usize,
    #[config(default = 42)]
    pub seed: u64,
    #[config(default = 3.0e-3)]
    pub learning_rate: f64,
}

/// Errors on the rows of the test set, in the unit of the targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The number of rows.
    pub rows: usize,
    /// The root of the mean squared error of the model.
    pub error: f64,
    /// Root mean squared error of predicting the mean of the training set, the best constant.
    pub error_of_the_mean: f64,
}

impl Evaluation {
    /// Returns `R^2`, the fraction of the variance that the model explains: 0 for the mean, 1 for a perfect
    /// model.
    pub fn explained(&self) -> f64 {
        1.0 - (self.error / self.error_of_the_mean).powi(2)
    }
}

/// Trains on 70 % of the rows, validates on 10 %, and evaluates on the other 20 %. The run leaves its
/// configuration, its logs, its checkpoints and the trained model in `artifact_dir`.
///
/// # Errors
/// When there are no rows, or the folder cannot be written.
pub fn run<B: AutodiffBackend>(
    rows: InMemDataset<Row>,
    config: &TrainingConfig,
    artifact_dir: &Path,
    device: B::Device,
) -> Result<Evaluation, Box<dyn Error>> {
    std::fs::create_dir_all(artifact_dir)?;
    config.save(artifact_dir.join("config.json"))?;
    B::seed(config.seed);

    let split = SplitDataset::shuffled(rows, config.seed)?;
    let [train, valid, test] = split.fractions([0.7, 0.1, 0.2])?.map(Arc::new);
    let scale = Scale::of(&*train);
    let model = RegressionModelConfig::new(scale.feature_means.len()).init::<B>(&device);
    let loader_train = DataLoaderBuilder::new(RowBatcher::<B>::new(scale.clone(), device.clone()))
        .batch_size(config.batch_size)
        .shuffle(config.seed)
        .build(Arc::clone(&train));
    let loader_valid =
        DataLoaderBuilder::new(RowBatcher::<B::InnerBackend>::new(scale.clone(), device.clone()))
            .batch_size(config.batch_size)
            .build(valid);
    let learner = LearnerBuilder::new(artifact_dir)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .devices(vec![device.clone()])
        .num_epochs(config.num_epochs)
        .build(model, config.optimizer.init(), config.learning_rate);
    let model = learner.try_fit(loader_train, loader_valid)?;
    model.clone().save_file(artifact_dir.join("model"), &CompactRecorder::new())?;
    Ok(evaluate(&model.valid(), &scale, &*test, device))
}

fn evaluate<B: Backend>(
    model: &RegressionModel<B>,
    scale: &Scale,
    test: &dyn Dataset<Row>,
    device: B::Device,
) -> Evaluation {
    let rows: Vec<Row> = (0..test.len()).filter_map(|index| test.get(index)).collect();
    let targets: Vec<f64> = rows.iter().map(|row| row.target.into()).collect();
    let batch = RowBatcher::<B>::new(scale.clone(), device).batch(rows);
    let predicted = model.forward(batch.features).into_data();
    let (mean, deviation) = (f64::from(scale.target_mean), f64::from(scale.target_deviation));
    let root_mean_square = |errors: &mut dyn Iterator<Item = f64>| {
        (errors.map(|error| error * error).sum::<f64>() / targets.len() as f64).sqrt()
    };
    let error = root_mean_square(
        &mut predicted.iter::<f64>().zip(&targets).map(|(said, right)| said * deviation + mean - right),
    );
    let error_of_the_mean = root_mean_square(&mut targets.iter().map(|right| mean - right));
    Evaluation { rows: targets.len(), error, error_of_the_mean }
}
