use super::class_counts::same_shape;
use burn_tensor::{Backend, Tensor};

/// Predictions of a batch and the numbers that are right, both `[batch, outputs]`.
///
/// Input of [`MeanAbsoluteErrorMetric`](super::MeanAbsoluteErrorMetric),
/// [`RootMeanSquareErrorMetric`](super::RootMeanSquareErrorMetric) and [`R2Metric`](super::R2Metric).
#[derive(Clone, Debug)]
pub struct RegressionInput<B: Backend> {
    /// The predictions, `[batch, outputs]`.
    pub predictions: Tensor<B, 2>,
    /// The numbers that are right, `[batch, outputs]`.
    pub targets: Tensor<B, 2>,
}

/// The same on the host.
pub(super) struct HostRegression {
    pub(super) outputs: usize,
    pub(super) predictions: Vec<f64>,
    pub(super) targets: Vec<f64>,
}

impl<B: Backend> RegressionInput<B> {
    /// Pairs predictions with the numbers that are right, both `[batch, outputs]`.
    pub fn new(predictions: Tensor<B, 2>, targets: Tensor<B, 2>) -> Self {
        Self { predictions, targets }
    }

    #[track_caller]
    pub(super) fn on_host(&self) -> HostRegression {
        let predictions = self.predictions.clone().detach().into_data();
        let targets = self.targets.clone().detach().into_data();
        same_shape(&predictions, &targets);
        HostRegression {
            outputs: predictions.shape[1],
            predictions: predictions.to_f64(),
            targets: targets.to_f64(),
        }
    }
}

impl HostRegression {
    /// Returns the mean over all elements of a function of the errors, and the number of elements.
    pub(super) fn mean(&self, of_error: impl Fn(f64) -> f64) -> (f64, usize) {
        let errors = self.predictions.iter().zip(&self.targets).map(|(found, right)| of_error(found - right));
        let count = self.targets.len();
        (errors.sum::<f64>() / count as f64, count)
    }
}
