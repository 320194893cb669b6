//! The trained model at work, on a backend without gradients.

use crate::baseline::{LeastSquares, error_of_zero, last_value, root_mean_square_error};
use crate::model::SequenceModel;
use crate::sequence::{Sequence, SequenceBatch, SequenceBatcher, dataset};
use crate::training::TrainingConfig;
use burn::data::dataloader::batcher::Batcher;
use burn::prelude::*;
use burn::record::CompactRecorder;
use std::error::Error;
use std::path::Path;

/// Loads the model that a run left in `artifacts`, with its configuration.
///
/// # Errors
/// When a file is missing or damaged, or belongs to another model.
pub fn load<B: Backend>(
    artifacts: &Path,
    device: &B::Device,
) -> Result<(SequenceModel<B>, TrainingConfig), Box<dyn Error>> {
    let config = TrainingConfig::load(artifacts.join("config.json"))?;
    let model = SequenceModel::new(&config.model, device);
    Ok((model.load_file(artifacts.join("model"), &CompactRecorder::new(), device)?, config))
}

/// Root mean square errors on sequences that training never saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// Error of the model.
    pub model: f64,
    /// Error of the linear predictor with the least squared error on the training sequences.
    pub linear: f64,
    /// Error of predicting the last value.
    pub last_value: f64,
    /// Error of the best constant.
    pub constant: f64,
}

/// Measures a model and the predictors it is compared with on `count` new sequences.
pub fn evaluate<B: Backend>(
    model: &SequenceModel<B>,
    config: &TrainingConfig,
    count: usize,
    device: &B::Device,
) -> Errors {
    let batch = |sequences: &[Sequence]| batch::<B>(sequences, device);
    let train = dataset(config.sequences, config.seed, 0).into_items();
    let test = dataset(count, config.seed, 2).into_items();
    let linear = LeastSquares::fit(batch(&train));
    let constant = error_of_zero(&test);
    let test = batch(&test);
    let error = |predicted| root_mean_square_error(predicted, test.next.clone());
    Errors {
        model: error(model.forward(test.values.clone())),
        linear: error(linear.predict(&test)),
        last_value: error(last_value(&test)),
        constant,
    }
}

fn batch<B: Backend>(sequences: &[Sequence], device: &B::Device) -> SequenceBatch<B> {
    SequenceBatcher { device: device.clone() }.batch(sequences.to_vec())
}

/// Predicts the next value of each sequence.
pub fn predict<B: Backend>(model: &SequenceModel<B>, sequences: &[Sequence], device: &B::Device) -> Vec<f32> {
    model.forward(batch(sequences, device).values).into_data().iter::<f32>().collect()
}
