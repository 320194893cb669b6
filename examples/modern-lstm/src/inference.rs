//! The trained model at work, on a backend without gradients.

use crate::baseline::{LeastSquares, last_value, root_mean_square_error};
use crate::model::SequenceModel;
use crate::sequence::{Sequence, SequenceBatch, SequenceBatcher, SeriesPart};
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

/// Root mean square errors on test sequences, in the unit of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// Error of the model.
    pub model: f64,
    /// Error of the linear predictor with the least squared error on the training sequences.
    pub linear: f64,
    /// Error of predicting the last value.
    pub last_value: f64,
    /// Error of predicting the mean of each sequence; of oscillations, 0.
    pub mean: f64,
}

/// Measures a model and the predictors it is compared with on the test sequences.
pub fn evaluate<B: Backend>(model: &SequenceModel<B>, config: &TrainingConfig, device: &B::Device) -> Errors {
    let batch = |part| batch::<B>(&config.sequences_of(part).into_items(), device);
    let linear = LeastSquares::fit(batch(SeriesPart::Train));
    let test = batch(SeriesPart::Test);
    let error = |predicted| root_mean_square_error(predicted, &test);
    Errors {
        model: error(model.forward(test.values.clone())),
        linear: error(linear.predict(&test)),
        last_value: error(last_value(&test)),
        mean: error(test.next.zeros_like()),
    }
}

fn batch<B: Backend>(sequences: &[Sequence], device: &B::Device) -> SequenceBatch<B> {
    SequenceBatcher { device: device.clone() }.batch(sequences.to_vec())
}

/// Predicts the next value of each sequence, in the unit of the series.
pub fn predict<B: Backend>(model: &SequenceModel<B>, sequences: &[Sequence], device: &B::Device) -> Vec<f32> {
    let predicted = model.forward(batch(sequences, device).values).into_data();
    predicted.iter::<f32>().zip(sequences).map(|(value, sequence)| sequence.in_unit(value)).collect()
}
