use super::hits::Hits;
use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericMetricState};
use crate::history::Direction;
use burn_tensor::{Backend, Int, Tensor, TensorData};
use std::fmt;
use std::marker::PhantomData;

/// The share of rows whose highest score is that of the target, in percent.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::{Int, Tensor};
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let output = Tensor::<NdArray, 2>::from_data([[0.2, 0.8], [0.9, 0.1]], &device);
/// let targets = Tensor::<NdArray, 1, Int>::from_data([1, 1], &device);
///
/// let mut metric = AccuracyMetric::new();
/// let entry = metric.update(&AccuracyInput::new(output, targets), &MetricMetadata::default());
/// assert_eq!(entry.formatted, "50.00 %");
/// assert_eq!(metric.value(), 50.0);
/// ```
pub struct AccuracyMetric<B: Backend> {
    accuracy: Accuracy,
    backend: PhantomData<fn(B)>,
}

/// The scores of a batch and the classes that are right.
#[derive(Clone, Debug)]
pub struct AccuracyInput<B: Backend> {
    /// The scores, `[batch, classes]`; only their order counts.
    pub outputs: Tensor<B, 2>,
    /// The classes, `[batch]`.
    pub targets: Tensor<B, 1, Int>,
}

impl<B: Backend> AccuracyInput<B> {
    /// Pairs scores `[batch, classes]` with classes `[batch]`.
    pub fn new(outputs: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> Self {
        Self { outputs, targets }
    }
}

impl<B: Backend> AccuracyMetric<B> {
    /// Counts every row.
    pub fn new() -> Self {
        Self { accuracy: Accuracy::default(), backend: PhantomData }
    }

    /// Leaves out the rows whose target is `token`.
    pub fn with_pad_token(mut self, token: usize) -> Self {
        self.accuracy.pad_token = Some(token);
        self
    }
}

impl<B: Backend> Metric for AccuracyMetric<B> {
    type Input = AccuracyInput<B>;

    /// Takes in a batch.
    ///
    /// # Panics
    /// If there are not as many targets as rows of scores.
    fn update(&mut self, input: &AccuracyInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let chosen = input.outputs.clone().detach().argmax(1);
        self.accuracy.update(&chosen.into_data(), &input.targets.clone().into_data())
    }

    fn name(&self) -> Option<String> {
        Some("Accuracy".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.accuracy.state.reset();
    }
}

impl<B: Backend> Numeric for AccuracyMetric<B> {
    fn value(&self) -> f64 {
        self.accuracy.state.value()
    }
}

impl<B: Backend> Default for AccuracyMetric<B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Backend> Clone for AccuracyMetric<B> {
    fn clone(&self) -> Self {
        Self { accuracy: self.accuracy.clone(), backend: PhantomData }
    }
}

impl<B: Backend> fmt::Debug for AccuracyMetric<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.accuracy.fmt(f)
    }
}

#[derive(Clone, Debug, Default)]
struct Accuracy {
    state: NumericMetricState,
    pad_token: Option<usize>,
}

impl Accuracy {
    fn update(&mut self, chosen: &TensorData, targets: &TensorData) -> MetricEntry {
        let hits = Hits::count(chosen, targets, self.pad_token);
        let format = FormatOptions::new("Accuracy").unit("%").precision(2);
        self.state.update(hits.percent(), hits.counted, format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_ndarray::NdArray;

    fn input<const N: usize>(scores: [[f32; 3]; N], targets: [i64; N]) -> AccuracyInput<NdArray> {
        let device = Default::default();
        AccuracyInput::new(Tensor::from_data(scores, &device), Tensor::from_data(targets, &device))
    }

    #[test]
    fn the_epoch_is_weighted_by_rows() {
        let mut metric = AccuracyMetric::new();
        let metadata = MetricMetadata::default();
        let first =
            metric.update(&input([[0.0, 0.2, 0.1], [1.0, 0.0, 0.0], [0.1, 0.2, 0.3]], [1, 0, 0]), &metadata);
        assert_eq!(first.formatted, "66.67 %");
        metric.update(&input([[3.0, 2.0, 1.0]], [2]), &metadata);
        assert_eq!(metric.value(), 50.0);
        metric.clear();
        assert!(metric.value().is_nan());
    }

    #[test]
    fn padded_rows_do_not_count() {
        let mut metric = AccuracyMetric::new().with_pad_token(2);
        let entry = metric.update(
            &input([[0.0, 0.2, 0.1], [1.0, 0.0, 0.0], [0.1, 0.2, 0.3]], [1, 2, 2]),
            &MetricMetadata::default(),
        );
        assert_eq!((metric.value(), entry.serialized.as_str()), (100.0, "100,1"));
    }

    #[test]
    #[should_panic(expected = "1 rows of scores, but 2 targets")]
    fn a_missing_target_panics() {
        let device = Default::default();
        let input = AccuracyInput::<NdArray>::new(
            Tensor::from_data([[0.0, 1.0]], &device),
            Tensor::from_data([0_i64, 1], &device),
        );
        AccuracyMetric::new().update(&input, &MetricMetadata::default());
    }
}
