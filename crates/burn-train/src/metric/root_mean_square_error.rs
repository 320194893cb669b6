use super::counted::sum_parts;
use super::{
    CountedMetric, FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericEntry,
    NumericMetricState, RegressionInput,
};
use crate::history::Direction;
use burn_tensor::Backend;
use std::marker::PhantomData;

/// Root mean square error of predictions: `sqrt(mean((prediction - target)^2))` over all elements of the
/// epoch.
///
/// scikit-learn: `sklearn.metrics.root_mean_squared_error`, for one output.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let predictions = Tensor::<NdArray, 2>::from_data([[1.0], [9.0]], &device);
/// let mut metric = RootMeanSquareErrorMetric::new();
/// let input = RegressionInput::new(predictions, Tensor::from_data([[2.0], [2.0]], &device));
/// metric.update(&input, &MetricMetadata::default());
/// assert_eq!(metric.value(), 5.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RootMeanSquareErrorMetric<B: Backend> {
    mean_square: NumericMetricState,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> RootMeanSquareErrorMetric<B> {
    /// Starts without a prediction.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<B: Backend> Metric for RootMeanSquareErrorMetric<B> {
    type Input = RegressionInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If predictions and targets have different shapes.
    fn update(&mut self, input: &RegressionInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let counts = self.count(input);
        self.add(&[counts])
    }

    fn name(&self) -> Option<String> {
        Some("Root Mean Square Error".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Lowest)
    }

    fn clear(&mut self) {
        self.mean_square.reset();
    }

    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        Some(self)
    }
}

impl<B: Backend> CountedMetric<RegressionInput<B>> for RootMeanSquareErrorMetric<B> {
    fn count(&self, input: &RegressionInput<B>) -> Vec<f64> {
        let (mean, count) = input.on_host().mean(|error| error * error);
        // Without a prediction the mean is NaN.
        vec![if count == 0 { 0.0 } else { mean * count as f64 }, count as f64]
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        let [sum, count] = sum_parts(parts);
        let (mean, count) = (sum / count, count as usize);
        let format = FormatOptions::new("Root Mean Square Error").precision(4);
        self.mean_square.update(mean, count, format.clone());
        MetricEntry::numeric(&format, self.value(), NumericEntry { value: mean.sqrt(), count })
    }
}

impl<B: Backend> Numeric for RootMeanSquareErrorMetric<B> {
    fn value(&self) -> f64 {
        self.mean_square.value().sqrt()
    }
}
