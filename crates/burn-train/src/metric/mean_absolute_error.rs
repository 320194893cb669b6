use super::{
    FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericMetricState, RegressionInput,
};
use crate::history::Direction;
use burn_tensor::Backend;
use std::marker::PhantomData;

/// Mean absolute error of predictions: `mean(|prediction - target|)` over all elements of the epoch.
///
/// scikit-learn: `sklearn.metrics.mean_absolute_error`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let predictions = Tensor::<NdArray, 2>::from_data([[1.0], [4.0]], &device);
/// let mut metric = MeanAbsoluteErrorMetric::new();
/// let input = RegressionInput::new(predictions, Tensor::from_data([[2.0], [1.0]], &device));
/// metric.update(&input, &MetricMetadata::default());
/// assert_eq!(metric.value(), 2.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MeanAbsoluteErrorMetric<B: Backend> {
    state: NumericMetricState,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> MeanAbsoluteErrorMetric<B> {
    /// Starts without a prediction.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<B: Backend> Metric for MeanAbsoluteErrorMetric<B> {
    type Input = RegressionInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If predictions and targets have different shapes.
    fn update(&mut self, input: &RegressionInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let (mean, count) = input.on_host().mean(f64::abs);
        self.state.update(mean, count, FormatOptions::new("Mean Absolute Error").precision(4))
    }

    fn name(&self) -> Option<String> {
        Some("Mean Absolute Error".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Lowest)
    }

    fn clear(&mut self) {
        self.state.reset();
    }
}

impl<B: Backend> Numeric for MeanAbsoluteErrorMetric<B> {
    fn value(&self) -> f64 {
        self.state.value()
    }
}
