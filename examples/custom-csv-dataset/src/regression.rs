//! A linear model of the progression, fitted by hand.

use std::sync::Arc;

use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::transform::{Part, SplitDataset};
use burn::data::dataset::{Dataset, DatasetError};
use burn::nn::loss::{MseLoss, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;

use crate::{Patient, PatientBatcher, PatientsDataset};

/// Evaluation of a model on patients that it was not trained on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The number of patients.
    pub patients: usize,
    /// The mean of the squared errors of the model.
    pub error: f64,
    /// The mean of the squared errors of the mean of the patients that the model was fitted to: what a
    /// trivial predictor says.
    pub error_of_the_mean: f64,
}

impl Evaluation {
    /// Returns `R^2`, the fraction of the variance that the model explains: 0 for a trivial predictor, 1 for
    /// a perfect one.
    pub fn explained(&self) -> f64 {
        1.0 - self.error / self.error_of_the_mean
    }
}

type Patients = Arc<Part<PatientsDataset, Patient>>;

/// Fits a linear model to four fifths of the patients and evaluates it on the others.
///
/// # Errors
/// If the patients cannot be split.
pub fn fit<B: AutodiffBackend>(
    patients: PatientsDataset,
    epochs: usize,
    seed: u64,
    device: &B::Device,
) -> Result<(Linear<B::InnerBackend>, Evaluation), DatasetError> {
    B::seed(seed);
    let [train, test] = SplitDataset::shuffled(patients, seed)?.fractions([0.8, 0.2])?.map(Arc::new);
    let batcher = PatientBatcher::<B>::new(&*train, device.clone());
    let inner = batcher.on::<B::InnerBackend>(device.clone());
    let loader = DataLoaderBuilder::new(batcher).batch_size(32).shuffle(seed).build(Arc::clone(&train));

    let mut model = LinearConfig::new(Patient::FEATURES, 1).init::<B>(device);
    let mut optimizer = AdamConfig::new().init();
    let loss = MseLoss::new();
    for epoch in 1..=epochs {
        // From large steps to small ones.
        let learning_rate = 4.0 * 0.01_f64.powf(epoch as f64 / epochs as f64);
        for batch in loader.iter() {
            let error = loss.forward(model.forward(batch.features), batch.targets, Reduction::Mean);
            let gradients = GradientsParams::from_grads(error.backward(), &model);
            model = optimizer.step(learning_rate, model, gradients);
        }
    }
    let model = model.valid();
    let evaluation = evaluate(&model, &inner, &train, &test);
    Ok((model, evaluation))
}

fn evaluate<B: Backend>(
    model: &Linear<B>,
    batcher: &PatientBatcher<B>,
    train: &Patients,
    test: &Patients,
) -> Evaluation {
    let progressions =
        |part: &Patients| -> Vec<f64> { part.iter().map(|row| row.progression.into()).collect() };
    let (known, expected) = (progressions(train), progressions(test));
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let batch = batcher.batch(test.iter().collect());
    let predicted: Vec<f64> = model.forward(batch.features).into_data().iter::<f64>().collect();
    let squares = |predicted: &mut dyn Iterator<Item = f64>| {
        let sum: f64 = expected.iter().zip(predicted).map(|(right, said)| (said - right).powi(2)).sum();
        sum / expected.len() as f64
    };
    Evaluation {
        patients: expected.len(),
        error: squares(&mut predicted.into_iter()),
        error_of_the_mean: squares(&mut std::iter::repeat(mean)),
    }
}
