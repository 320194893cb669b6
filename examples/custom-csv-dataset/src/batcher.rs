use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::Dataset;
use burn::prelude::*;

use crate::Patient;

// ANCHOR: batcher
/// Standardised measurements and progressions of some patients.
#[derive(Clone, Debug)]
pub struct PatientBatch<B: Backend> {
    /// `[batch, 10]`, each measurement with mean 0 and variance 1 over the training set.
    pub features: Tensor<B, 2>,
    /// `[batch, 1]`.
    pub targets: Tensor<B, 2>,
}

/// Makes tensors of patients on one device.
#[derive(Clone, Debug)]
pub struct PatientBatcher<B: Backend> {
    device: B::Device,
    mean: [f32; Patient::FEATURES],
    deviation: [f32; Patient::FEATURES],
}

impl<B: Backend> PatientBatcher<B> {
    /// Takes mean and standard deviation of each measurement from the patients to train on.
    pub fn new(train: &dyn Dataset<Patient>, device: B::Device) -> Self {
        let rows: Vec<_> = (0..train.len()).filter_map(|index| train.get(index)).collect();
        let count = rows.len().max(1) as f32;
        let average = |of: &dyn Fn(&Patient, usize) -> f32| -> [f32; Patient::FEATURES] {
            std::array::from_fn(|feature| rows.iter().map(|row| of(row, feature)).sum::<f32>() / count)
        };
        let mean = average(&|row, feature| row.features()[feature]);
        let variance = average(&|row, feature| (row.features()[feature] - mean[feature]).powi(2));
        Self { device, mean, deviation: variance.map(|variance| variance.sqrt().max(1e-6)) }
    }

    /// Returns a batcher with the same statistics for a backend without gradients.
    pub fn on<C: Backend>(&self, device: C::Device) -> PatientBatcher<C> {
        PatientBatcher { device, mean: self.mean, deviation: self.deviation }
    }
}

impl<B: Backend> Batcher<Patient, PatientBatch<B>> for PatientBatcher<B> {
    fn batch(&self, items: Vec<Patient>) -> PatientBatch<B> {
        let count = items.len();
        let standardise = |row: &Patient| -> [f32; Patient::FEATURES] {
            let features = row.features();
            std::array::from_fn(|feature| (features[feature] - self.mean[feature]) / self.deviation[feature])
        };
        let features: Vec<f32> = items.iter().flat_map(standardise).collect();
        let targets: Vec<f32> = items.iter().map(|row| row.progression).collect();
        PatientBatch {
            features: Tensor::from_data(TensorData::new(features, [count, Patient::FEATURES]), &self.device),
            targets: Tensor::from_data(TensorData::new(targets, [count, 1]), &self.device),
        }
    }
}
// ANCHOR_END: batcher
