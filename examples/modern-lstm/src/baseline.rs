//! Predictors without a network.

use crate::sequence::{Sequence, SequenceBatch};
use burn::prelude::*;
use burn::tensor::linalg;

/// Returns the root of the mean squared error of predictions, `[batch, 1]` each.
pub fn root_mean_square_error<B: Backend>(predicted: Tensor<B, 2>, next: Tensor<B, 2>) -> f64 {
    (predicted - next).square().mean().sqrt().into_scalar().elem()
}

/// Predicts that the next value is the last one.
pub fn last_value<B: Backend>(batch: &SequenceBatch<B>) -> Tensor<B, 2> {
    let time = batch.values.dims()[1];
    batch.values.clone().narrow(1, time - 1, 1).squeeze_dim(1)
}

/// The linear predictor with the least squared error on some sequences: the best that weights of the single values can do.
#[derive(Clone, Debug)]
pub struct LeastSquares<B: Backend> {
    /// Weight of each value, `[time, 1]`.
    weights: Tensor<B, 2>,
}

impl<B: Backend> LeastSquares<B> {
    /// Fits it to a batch.
    pub fn fit(batch: SequenceBatch<B>) -> Self {
        LeastSquares { weights: linalg::lstsq(batch.values.squeeze_dim(2), batch.next) }
    }

    /// Predicts the next values, `[batch, 1]`.
    pub fn predict(&self, batch: &SequenceBatch<B>) -> Tensor<B, 2> {
        batch.values.clone().squeeze_dim::<2>(2).matmul(self.weights.clone())
    }
}

/// Returns the root of the mean square of the values to predict: the error of the best constant, which is 0.
pub fn error_of_zero(sequences: &[Sequence]) -> f64 {
    let sum: f64 = sequences.iter().map(|sequence| f64::from(sequence.next).powi(2)).sum();
    (sum / sequences.len() as f64).sqrt()
}
