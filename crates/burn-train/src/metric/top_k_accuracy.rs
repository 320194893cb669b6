use super::hits::Hits;
use super::{AccuracyInput, FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericMetricState};
use crate::history::Direction;
use burn_tensor::{Backend, TensorData};
use std::fmt;
use std::marker::PhantomData;

/// The scores of a batch and the classes that are right.
pub type TopKAccuracyInput<B> = AccuracyInput<B>;

/// The share of rows with the target among the `k` highest scores, in percent.
///
/// Its name is `Top-k Accuracy`, with the number in place of the letter.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let output = Tensor::<NdArray, 2>::from_data([[0.1, 0.3, 0.6], [0.1, 0.3, 0.6]], &device);
/// let targets = Tensor::from_data([1, 0], &device);
///
/// let mut metric = TopKAccuracyMetric::new(2);
/// let entry = metric.update(&TopKAccuracyInput::new(output, targets), &MetricMetadata::default());
/// assert_eq!((entry.name.as_str(), metric.value()), ("Top-2 Accuracy", 50.0));
/// ```
pub struct TopKAccuracyMetric<B: Backend> {
    accuracy: TopKAccuracy,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> TopKAccuracyMetric<B> {
    /// Counts every row.
    ///
    /// # Panics
    /// If `k` is zero.
    #[track_caller]
    pub fn new(k: usize) -> Self {
        assert!(k > 0, "the target cannot be among the 0 highest scores");
        let accuracy = TopKAccuracy { state: NumericMetricState::new(), k, pad_token: None };
        Self { accuracy, backend: PhantomData }
    }

    /// Leaves out the rows whose target is `token`.
    pub fn with_pad_token(mut self, token: usize) -> Self {
        self.accuracy.pad_token = Some(token);
        self
    }
}

impl<B: Backend> Metric for TopKAccuracyMetric<B> {
    type Input = AccuracyInput<B>;

    /// Takes in a batch.
    ///
    /// # Panics
    /// If there are not as many targets as rows of scores.
    fn update(&mut self, input: &AccuracyInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let k = self.accuracy.k.min(input.outputs.dims()[1]);
        let (_, chosen) = input.outputs.clone().detach().topk_with_indices(k, 1);
        self.accuracy.update(&chosen.into_data(), &input.targets.clone().into_data())
    }

    fn name(&self) -> Option<String> {
        Some(format!("Top-{} Accuracy", self.accuracy.k))
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.accuracy.state.reset();
    }
}

impl<B: Backend> Numeric for TopKAccuracyMetric<B> {
    fn value(&self) -> f64 {
        self.accuracy.state.value()
    }
}

impl<B: Backend> Clone for TopKAccuracyMetric<B> {
    fn clone(&self) -> Self {
        Self { accuracy: self.accuracy.clone(), backend: PhantomData }
    }
}

impl<B: Backend> fmt::Debug for TopKAccuracyMetric<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.accuracy.fmt(f)
    }
}

#[derive(Clone, Debug)]
struct TopKAccuracy {
    state: NumericMetricState,
    k: usize,
    pad_token: Option<usize>,
}

impl TopKAccuracy {
    fn update(&mut self, chosen: &TensorData, targets: &TensorData) -> MetricEntry {
        let hits = Hits::count(chosen, targets, self.pad_token);
        let format = FormatOptions::new(format!("Top-{} Accuracy", self.k)).unit("%").precision(2);
        self.state.update(hits.percent(), hits.counted, format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_ndarray::NdArray;
    use burn_tensor::Tensor;

    fn value(k: usize) -> f64 {
        let device = Default::default();
        let scores = [[0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]];
        let outputs = Tensor::<NdArray, 2>::from_data(scores, &device);
        let input = AccuracyInput::new(outputs, Tensor::from_data([0, 1, 2, 0], &device));
        let mut metric = TopKAccuracyMetric::new(k);
        metric.update(&input, &MetricMetadata::default());
        metric.value()
    }

    #[test]
    fn a_larger_k_finds_more() {
        assert_eq!([1, 2, 3, 4, 9].map(value), [25.0, 50.0, 75.0, 100.0, 100.0]);
    }
}
