use super::class_counts::ClassCounts;
use super::score_by_class::{ScoreByClass, score_by_class_metric};
use super::{ClassificationInput, CountedMetric, Metric, MetricEntry, MetricMetadata, Numeric};
use crate::history::Direction;
use burn_tensor::Backend;
use std::marker::PhantomData;

/// F-beta score of the predicted classes or labels, in percent: the weighted harmonic mean of precision `p`
/// and recall `r`, `(1 + beta^2) p r / (beta^2 p + r)`.
///
/// Its name is `F1 Score` with a `beta` of 1. The counts are those of the whole epoch. scikit-learn:
/// `sklearn.metrics.fbeta_score` with `zero_division=0`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let scores = Tensor::<NdArray, 1>::from_data([0.9, 0.8, 0.7, 0.1], &device);
/// let labels = Tensor::from_data([1, 0, 1, 0], &device);
/// let mut metric = FBetaMetric::new(1.0);
/// let entry = metric.update(&ClassificationInput::binary(scores, labels), &MetricMetadata::default());
/// assert_eq!((entry.name.as_str(), entry.formatted.as_str()), ("F1 Score", "80.00 %"));
/// ```
#[derive(Clone, Debug)]
pub struct FBetaMetric<B: Backend> {
    score: ScoreByClass,
    beta: f64,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> FBetaMetric<B> {
    /// Averages over classes ([`Average::Macro`](crate::metric::Average::Macro)), and predicts labels whose
    /// score is above 0.5.
    ///
    /// # Panics
    /// If `beta` is not a positive number.
    #[track_caller]
    pub fn new(beta: f64) -> Self {
        assert!(beta > 0.0 && beta.is_finite(), "F-beta score: expected a positive beta, got {beta}");
        Self { score: ScoreByClass::default(), beta, backend: PhantomData }
    }

    fn title(&self) -> String {
        format!("F{} Score", self.beta)
    }

    fn score(&self) -> impl Fn(ClassCounts) -> f64 + use<B> {
        let beta = self.beta;
        move |counts: ClassCounts| counts.f_beta(beta)
    }
}

score_by_class_metric!(FBetaMetric, FBetaMetric::title, FBetaMetric::score);
