use super::class_counts::ClassCounts;
use super::score_by_class::{ScoreByClass, score_by_class_metric};
use super::{ClassificationInput, CountedMetric, Metric, MetricEntry, MetricMetadata, Numeric};
use crate::history::Direction;
use burn_tensor::Backend;
use std::marker::PhantomData;

/// Recall of the predicted classes or labels, in percent: `tp / (tp + fn)`.
///
/// The counts are those of the whole epoch. scikit-learn: `sklearn.metrics.recall_score` with
/// `zero_division=0`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let scores = Tensor::<NdArray, 1>::from_data([0.9, 0.8, 0.4, 0.1], &device);
/// let labels = Tensor::from_data([1, 0, 1, 0], &device);
/// let mut metric = RecallMetric::new();
/// metric.update(&ClassificationInput::binary(scores, labels), &MetricMetadata::default());
/// assert_eq!(metric.value(), 50.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RecallMetric<B: Backend> {
    score: ScoreByClass,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> RecallMetric<B> {
    /// Averages over classes ([`Average::Macro`](crate::metric::Average::Macro)), and predicts labels whose
    /// score is above 0.5.
    pub fn new() -> Self {
        Self::default()
    }
}

score_by_class_metric!(RecallMetric, |_| "Recall", |_| ClassCounts::recall);
