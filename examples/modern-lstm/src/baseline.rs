//! Predictors without a network.

use crate::sequence::SequenceBatch;
use burn::prelude::*;
use burn::tensor::linalg;

/// Returns the root of the mean squared error of predictions, `[batch, 1]`, in the unit of the series.
pub fn root_mean_square_error<B: Backend>(predicted: Tensor<B, 2>, batch: &SequenceBatch<B>) -> f64 {
    let errors = (predicted - batch.next.clone()) * batch.scale.clone();
    errors.square().mean().sqrt().into_scalar().elem()
}

/// Predicts that the next value is the last one.
pub fn last_value<B: Backend>(batch: &SequenceBatch<B>) -> Tensor<B, 2> {
    let time = batch.values.dims()[1];
    batch.values.clone().narrow(1, time - 1, 1).squeeze_dim(1)
}

/// The linear predictor with the least squared error on some sequences: the best that weights of the single
/// values can do.
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
