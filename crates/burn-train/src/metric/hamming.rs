use super::class_counts::same_shape;
use super::{
    ClassificationInput, ClassificationTargets, FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric,
    NumericMetricState,
};
use crate::history::Direction;
use burn_tensor::{Backend, TensorData};
use std::marker::PhantomData;

/// Hamming score: the share of labels, over all rows, that are predicted right, in percent.
///
/// It is `100 (1 - hamming_loss)` with `sklearn.metrics.hamming_loss`. For exclusive classes it is the
/// accuracy.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let scores = Tensor::<NdArray, 2>::from_data([[0.9, 0.2], [0.6, 0.7]], &device);
/// let labels = Tensor::from_data([[1, 0], [0, 1]], &device);
/// let mut metric = HammingMetric::new();
/// metric.update(&ClassificationInput::multilabel(scores, labels), &MetricMetadata::default());
/// assert_eq!(metric.value(), 75.0);
/// ```
#[derive(Clone, Debug)]
pub struct HammingMetric<B: Backend> {
    state: NumericMetricState,
    threshold: f64,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> HammingMetric<B> {
    /// Predicts labels whose score is above 0.5.
    pub fn new() -> Self {
        Self { state: NumericMetricState::new(), threshold: 0.5, backend: PhantomData }
    }

    /// Sets the score above which a label is predicted.
    pub fn with_threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }
}

impl<B: Backend> Default for HammingMetric<B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Backend> Metric for HammingMetric<B> {
    type Input = ClassificationInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If the targets do not fit the scores.
    fn update(&mut self, input: &ClassificationInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let (right, all) = match &input.targets {
            ClassificationTargets::Classes(_) => {
                let counts = input.counts(self.threshold, None, 1);
                let right: u64 = counts.classes.iter().map(|class| class.true_positives).sum();
                (right as usize, counts.rows)
            }
            ClassificationTargets::Labels(labels) => {
                let scores = input.scores.clone().detach().into_data();
                right_labels(&scores, &labels.clone().into_data(), self.threshold)
            }
        };
        let format = FormatOptions::new("Hamming Score").unit("%").precision(2);
        self.state.update(100.0 * right as f64 / all as f64, all, format)
    }

    fn name(&self) -> Option<String> {
        Some("Hamming Score".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.state.reset();
    }
}

impl<B: Backend> Numeric for HammingMetric<B> {
    fn value(&self) -> f64 {
        self.state.value()
    }
}

#[track_caller]
fn right_labels(scores: &TensorData, labels: &TensorData, threshold: f64) -> (usize, usize) {
    same_shape(scores, labels);
    let pairs = scores.iter::<f64>().zip(labels.iter::<i64>());
    let right = pairs.filter(|(score, label)| (*score > threshold) == (*label != 0)).count();
    (right, scores.num_elements())
}
