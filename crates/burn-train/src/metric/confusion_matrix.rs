use super::class_counts::class_pairs;
use super::{AccuracyInput, CountedMetric, Metric, MetricEntry, MetricMetadata};
use burn_tensor::Backend;
use std::fmt;
use std::marker::PhantomData;

/// Confusion matrix of exclusive classes: row `i`, column `j` counts the rows of class `i` that were
/// predicted as `j`.
///
/// It is a text, not a number: add it with `metric_valid`. scikit-learn: `sklearn.metrics.confusion_matrix`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let scores = Tensor::<NdArray, 2>::from_data([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]], &device);
/// let mut metric = ConfusionMatrixMetric::new();
/// let input = AccuracyInput::new(scores, Tensor::from_data([0, 1, 1], &device));
/// let entry = metric.update(&input, &MetricMetadata::default());
/// assert_eq!(entry.formatted, "[[1, 0], [1, 1]]");
/// assert_eq!(metric.matrix().count(1, 0), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConfusionMatrixMetric<B: Backend> {
    matrix: ConfusionMatrix,
    pad_token: Option<usize>,
    backend: PhantomData<fn(B)>,
}

/// Counts of classes and of what was predicted for them; a table with [`Display`](fmt::Display).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfusionMatrix {
    classes: usize,
    counts: Vec<u64>,
}

impl<B: Backend> ConfusionMatrixMetric<B> {
    /// Counts every row.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out the rows whose target is `token`.
    pub fn with_pad_token(mut self, token: usize) -> Self {
        self.pad_token = Some(token);
        self
    }

    /// Returns the counts since the metric was cleared.
    pub fn matrix(&self) -> &ConfusionMatrix {
        &self.matrix
    }
}

impl<B: Backend> Metric for ConfusionMatrixMetric<B> {
    type Input = AccuracyInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If the targets do not fit the scores.
    fn update(&mut self, input: &AccuracyInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let counts = self.count(input);
        self.add(&[counts])
    }

    fn name(&self) -> Option<String> {
        Some("Confusion Matrix".to_string())
    }

    fn clear(&mut self) {
        self.matrix = ConfusionMatrix::default();
    }

    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        Some(self)
    }
}

impl<B: Backend> CountedMetric<AccuracyInput<B>> for ConfusionMatrixMetric<B> {
    fn count(&self, input: &AccuracyInput<B>) -> Vec<f64> {
        let classes = input.outputs.dims()[1];
        let predictions = input.outputs.clone().detach().argmax(1).into_data();
        let targets = input.targets.clone().into_data();
        let pairs = class_pairs(&predictions, &targets, classes, self.pad_token);
        let mut counts = vec![0.0; classes * classes];
        pairs.into_iter().for_each(|(predicted, target)| counts[target * classes + predicted] += 1.0);
        counts
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        parts.iter().for_each(|part| self.matrix.add(part));
        let rows = format!("{:?}", self.matrix.rows().collect::<Vec<_>>());
        MetricEntry::new("Confusion Matrix", rows.clone(), rows)
    }
}

impl ConfusionMatrix {
    /// Returns the number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Returns how many rows of the class `target` were predicted as `predicted`.
    ///
    /// # Panics
    /// If one of the classes is not below [`classes`](Self::classes).
    #[track_caller]
    pub fn count(&self, target: usize, predicted: usize) -> u64 {
        let classes = self.classes;
        assert!(
            target < classes && predicted < classes,
            "confusion matrix: there are {classes} classes, got {target} and {predicted}"
        );
        self.counts[target * classes + predicted]
    }

    /// Returns the counts of each class, by what was predicted.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.counts.chunks(self.classes.max(1))
    }

    /// Adds the counts of a square matrix, row by row.
    fn add(&mut self, counts: &[f64]) {
        let classes = counts.len().isqrt();
        if classes > self.classes {
            let mut wider = Self { classes, counts: vec![0; classes * classes] };
            for (target, row) in self.rows().enumerate() {
                wider.counts[target * classes..][..row.len()].copy_from_slice(row);
            }
            *self = wider;
        }
        for (target, row) in counts.chunks(classes.max(1)).enumerate() {
            let sums = &mut self.counts[target * self.classes..];
            sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += *count as u64);
        }
    }
}

impl fmt::Display for ConfusionMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widest = self.counts.iter().copied().chain([self.classes as u64]).max().unwrap_or(0);
        let width = widest.to_string().len();
        let title = "target \\ predicted";
        let indent = title.len();
        write!(f, "{title}")?;
        (0..self.classes).try_for_each(|class| write!(f, "  {class:>width$}"))?;
        for (target, row) in self.rows().enumerate() {
            write!(f, "\n{target:>indent$}")?;
            row.iter().try_for_each(|count| write!(f, "  {count:>width$}"))?;
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_with_more_classes_widens_the_matrix() {
        let mut matrix = ConfusionMatrix::default();
        matrix.add(&[0.0, 0.0, 1.0, 1.0]);
        matrix.add(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        matrix.add(&[0.0, 0.0, 0.0, 0.0]);
        assert_eq!(matrix.rows().collect::<Vec<_>>(), [[0, 0, 1], [1, 1, 0], [0, 0, 0]]);
        let table = "target \\ predicted  0  1  2\n                 0  0  0  1\n";
        assert!(matrix.to_string().starts_with(table), "{matrix}");
    }
}
