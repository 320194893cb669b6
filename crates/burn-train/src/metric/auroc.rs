use super::class_counts::same_shape;
use super::rank_statistic::RankStatistic;
use super::{
    ClassificationInput, ClassificationTargets, CountedMetric, FormatOptions, Metric, MetricEntry,
    MetricMetadata, Numeric, NumericEntry,
};
use crate::history::Direction;
use burn_tensor::{Backend, TensorData};
use std::marker::PhantomData;

/// Area under the receiver operating characteristic, in percent: the share of pairs of a positive and a
/// negative row in which the positive row has the higher score; ties count one half.
///
/// With several classes or labels it is the unweighted mean over each against the rest; those without a
/// positive or a negative row do not count. The area is exact: 8 bytes are kept for each row and class until
/// the end of the epoch. scikit-learn: `sklearn.metrics.roc_auc_score` with `multi_class="ovr"`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let scores = Tensor::<NdArray, 1>::from_data([0.9, 0.7, 0.4, 0.1], &device);
/// let labels = Tensor::from_data([1, 0, 1, 0], &device);
/// let mut metric = AurocMetric::new();
/// metric.update(&ClassificationInput::binary(scores, labels), &MetricMetadata::default());
/// assert_eq!(metric.value(), 75.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct AurocMetric<B: Backend> {
    classes: Vec<RankStatistic>,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> AurocMetric<B> {
    /// Starts without a row.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<B: Backend> Metric for AurocMetric<B> {
    type Input = ClassificationInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If the targets do not fit the scores.
    fn update(&mut self, input: &ClassificationInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let counts = self.count(input);
        self.add(&[counts])
    }

    fn name(&self) -> Option<String> {
        Some("AUROC".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.classes.clear();
    }

    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        Some(self)
    }
}

impl<B: Backend> CountedMetric<ClassificationInput<B>> for AurocMetric<B> {
    fn count(&self, input: &ClassificationInput<B>) -> Vec<f64> {
        let scores = input.scores.clone().detach().into_data();
        let samples = match &input.targets {
            ClassificationTargets::Classes(classes) => class_samples(&scores, &classes.clone().into_data()),
            ClassificationTargets::Labels(labels) => label_samples(&scores, &labels.clone().into_data()),
        };
        let classes = samples.len() as f64;
        let samples = samples.into_iter().flatten();
        let numbers = samples.flat_map(|(score, is_positive)| [score, f64::from(u8::from(is_positive))]);
        core::iter::once(classes).chain(numbers).collect()
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        let mut batch: Vec<RankStatistic> = Vec::new();
        let mut rows = 0;
        for part in parts {
            let [classes, samples @ ..] = &part[..] else { continue };
            let (classes, samples) = ((*classes as usize).max(1), samples.as_chunks::<2>().0);
            let of_class = samples.len() / classes;
            rows += of_class;
            for statistics in [&mut self.classes, &mut batch] {
                let most = statistics.len().max(classes);
                statistics.resize(most, RankStatistic::default());
                for (class, samples) in statistics.iter_mut().zip(samples.chunks(of_class.max(1))) {
                    class.add(samples.iter().map(|[score, is_positive]| (*score, *is_positive != 0.0)));
                }
            }
        }
        let format = FormatOptions::new("AUROC").unit("%").precision(2);
        let value = mean_area(&batch);
        // A small batch may have no pair; it has no value then, and counts nothing.
        let count = if batch.iter().all(|class| class.area().is_none()) { 0 } else { rows };
        MetricEntry::numeric(&format, self.value(), NumericEntry { value, count })
    }
}

impl<B: Backend> Numeric for AurocMetric<B> {
    fn value(&self) -> f64 {
        mean_area(&self.classes)
    }
}

/// Score of a row for a class, and whether it is of that class.
type Sample = (f64, bool);

#[track_caller]
fn class_samples(scores: &TensorData, targets: &TensorData) -> Vec<Vec<Sample>> {
    let [rows, classes] = [scores.shape[0], scores.shape[1]];
    let given = targets.num_elements();
    assert!(rows == given, "AUROC: targets do not fit the scores; expected {rows} targets, got {given}");
    let targets: Vec<i64> = targets.iter().collect();
    by_class(scores, classes, |row, class| i64::try_from(class) == Ok(targets[row]))
}

#[track_caller]
fn label_samples(scores: &TensorData, labels: &TensorData) -> Vec<Vec<Sample>> {
    same_shape(scores, labels);
    let (classes, labels) = (scores.shape[1], labels.iter::<i64>().collect::<Vec<_>>());
    by_class(scores, classes, |row, class| labels[row * classes + class] != 0)
}

fn by_class(
    scores: &TensorData,
    classes: usize,
    is_positive: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<Sample>> {
    let mut samples = vec![Vec::new(); classes];
    for (at, score) in scores.iter::<f64>().enumerate() {
        let (row, class) = (at / classes, at % classes);
        samples[class].push((score, is_positive(row, class)));
    }
    samples
}

/// Returns the percentage in the mean over the classes that have one; NaN when none has.
fn mean_area(classes: &[RankStatistic]) -> f64 {
    let areas: Vec<f64> = classes.iter().filter_map(RankStatistic::area).collect();
    100.0 * areas.iter().sum::<f64>() / areas.len() as f64
}
