use super::class_counts::ClassCounts;
use super::score_by_class::{ScoreByClass, score_by_class_metric};
use super::{ClassificationInput, CountedMetric, Metric, MetricEntry, MetricMetadata, Numeric};
use crate::history::Direction;
use burn_tensor::Backend;
use std::marker::PhantomData;

/// Precision of the predicted classes or labels, in percent: `tp / (tp + fp)`.
///
/// The counts are those of the whole epoch. scikit-learn: `sklearn.metrics.precision_score` with
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
/// let mut metric = PrecisionMetric::new();
/// metric.update(&ClassificationInput::binary(scores, labels), &MetricMetadata::default());
/// assert_eq!(metric.value(), 50.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PrecisionMetric<B: Backend> {
    score: ScoreByClass,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> PrecisionMetric<B> {
    /// Averages over classes ([`Average::Macro`](crate::metric::Average::Macro)), and predicts labels whose
    /// score is above 0.5.
    pub fn new() -> Self {
        Self::default()
    }
}

score_by_class_metric!(PrecisionMetric, |_| "Precision", |_| ClassCounts::precision);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Average, FBetaMetric, RecallMetric};
    use burn_ndarray::NdArray;
    use burn_tensor::Tensor;

    fn input() -> ClassificationInput<NdArray> {
        let device = Default::default();
        // The two highest are 0 1, 0 1, 2 1, 3 2.
        let scores = [[0.5, 0.3, 0.2, 0.0], [0.5, 0.3, 0.2, 0.0], [0.0, 0.3, 0.7, 0.1], [0.0, 0.1, 0.4, 0.5]];
        ClassificationInput::multiclass(
            Tensor::from_data(scores, &device),
            Tensor::from_data([0, 1, 3, 2], &device),
        )
    }

    fn value(mut metric: impl Metric<Input = ClassificationInput<NdArray>> + Numeric) -> (String, f64) {
        let entry = metric.update(&input(), &MetricMetadata::default());
        assert_eq!(metric.name().as_ref(), Some(&entry.name));
        (entry.name, metric.value())
    }

    // scikit-learn's scores of the predictions as labels ([1, 1, 0, 0] in the first row): per class the
    // precision is 1/2, 1/3, 1/2, 0 and the recall 1, 1, 1, 0.
    #[test]
    fn the_highest_classes_of_a_row_all_count() {
        let (name, precision) = value(PrecisionMetric::new().with_top_k(2));
        assert_eq!(name, "Top-2 Precision");
        assert!((precision - 100.0 * (0.5 + 1.0 / 3.0 + 0.5) / 4.0).abs() < 1e-9, "{precision}");
        assert_eq!(value(RecallMetric::new().with_top_k(2)).1, 75.0);
        // Three hits among eight predictions, of four targets.
        let micro = |k| PrecisionMetric::new().with_average(Average::Micro).with_top_k(k);
        assert_eq!(value(micro(2)).1, 37.5);
        assert_eq!(value(FBetaMetric::new(1.0).with_average(Average::Micro).with_top_k(2)).1, 50.0);
        assert_eq!(value(micro(9)).1, 25.0, "all four classes");
        assert_eq!(value(micro(1)), ("Precision".to_string(), 25.0));
    }
}
