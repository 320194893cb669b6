//! Right and wrong decisions by class, on the host.

use super::Average;
use burn_tensor::TensorData;

/// The decisions about one class against the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ClassCounts {
    pub(super) true_positives: u64,
    pub(super) false_positives: u64,
    pub(super) false_negatives: u64,
}

/// The decisions about every class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConfusionCounts {
    pub(super) classes: Vec<ClassCounts>,
    /// The number of rows that count.
    pub(super) rows: usize,
    /// Whether a row may have several labels or none.
    labels: bool,
}

impl ClassCounts {
    pub(super) fn precision(self) -> f64 {
        ratio(self.true_positives, self.true_positives + self.false_positives)
    }

    pub(super) fn recall(self) -> f64 {
        ratio(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// Computes `(1 + beta^2) tp / ((1 + beta^2) tp + beta^2 fn + fp)`.
    pub(super) fn f_beta(self, beta: f64) -> f64 {
        let (square, hits) = (beta * beta, self.true_positives as f64);
        let divisor =
            (1.0 + square) * hits + square * self.false_negatives as f64 + self.false_positives as f64;
        if divisor == 0.0 { 0.0 } else { (1.0 + square) * hits / divisor }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.true_positives += other.true_positives;
        self.false_positives += other.false_positives;
        self.false_negatives += other.false_negatives;
    }

    pub(super) fn decisions(self) -> u64 {
        self.true_positives + self.false_positives + self.false_negatives
    }
}

/// A class without a decision has the score 0, as in scikit-learn.
fn ratio(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

impl ConfusionCounts {
    /// Counts exclusive classes: one prediction and one target for each row. A row whose target is `pad` does
    /// not count.
    ///
    /// # Panics
    /// If there are not as many targets as predictions, or a target is no class.
    #[track_caller]
    pub(super) fn of_classes(
        predictions: &TensorData,
        targets: &TensorData,
        classes: usize,
        pad: Option<usize>,
    ) -> Self {
        let mut counts = Self { classes: vec![ClassCounts::default(); classes], rows: 0, labels: false };
        for (predicted, target) in class_pairs(predictions, targets, classes, pad) {
            counts.rows += 1;
            if predicted == target {
                counts.classes[target].true_positives += 1;
            } else {
                counts.classes[predicted].false_positives += 1;
                counts.classes[target].false_negatives += 1;
            }
        }
        counts
    }

    /// Counts exclusive classes, of which each row predicts several: predictions are `[rows, k]`. A row whose
    /// target is `pad` does not count.
    ///
    /// # Panics
    /// If there are not as many targets as rows, or a target is no class.
    #[track_caller]
    pub(super) fn of_top_k(
        predictions: &TensorData,
        targets: &TensorData,
        classes: usize,
        pad: Option<usize>,
    ) -> Self {
        let mut counts = Self { classes: vec![ClassCounts::default(); classes], rows: 0, labels: false };
        let [rows, k] = [predictions.shape[0], predictions.shape[1]];
        let predictions: Vec<usize> = predictions.iter::<i64>().map(|class| class as usize).collect();
        let numbers = TensorData::new((0..rows as i64).collect::<Vec<_>>(), [rows]);
        for (row, target) in class_pairs(&numbers, targets, classes, pad) {
            counts.rows += 1;
            let predicted = &predictions[row * k..(row + 1) * k];
            if predicted.contains(&target) {
                counts.classes[target].true_positives += 1;
            } else {
                counts.classes[target].false_negatives += 1;
            }
            for class in predicted.iter().filter(|class| **class != target) {
                counts.classes[*class].false_positives += 1;
            }
        }
        counts
    }

    /// Counts labels, which are predicted where the score is above the threshold. Both are `[rows, labels]`.
    ///
    /// # Panics
    /// If scores and targets have different shapes.
    #[track_caller]
    pub(super) fn of_labels(scores: &TensorData, targets: &TensorData, threshold: f64) -> Self {
        same_shape(scores, targets);
        let [rows, labels] = [scores.shape[0], scores.shape[1]];
        let mut counts = Self { classes: vec![ClassCounts::default(); labels], rows, labels: true };
        let pairs = scores.iter::<f64>().zip(targets.iter::<i64>());
        for (at, (score, target)) in pairs.enumerate() {
            let class = &mut counts.classes[at % labels];
            match (score > threshold, target != 0) {
                (true, true) => class.true_positives += 1,
                (true, false) => class.false_positives += 1,
                (false, true) => class.false_negatives += 1,
                (false, false) => {}
            }
        }
        counts
    }

    /// Returns the counts as numbers, which [`add_numbers`](Self::add_numbers) takes.
    pub(super) fn to_numbers(&self) -> Vec<f64> {
        let classes = self.classes.iter();
        let numbers =
            classes.flat_map(|class| [class.true_positives, class.false_positives, class.false_negatives]);
        let first = [u64::from(self.labels), self.rows as u64];
        first.into_iter().chain(numbers).map(|count| count as f64).collect()
    }

    /// Adds counts of other rows, given as numbers.
    pub(super) fn add_numbers(&mut self, numbers: &[f64]) {
        let [labels, rows, classes @ ..] = numbers else { return };
        let classes = classes.as_chunks().0.iter().map(|[hits, wrong, missed]| ClassCounts {
            true_positives: *hits as u64,
            false_positives: *wrong as u64,
            false_negatives: *missed as u64,
        });
        self.add(&Self { classes: classes.collect(), rows: *rows as usize, labels: *labels != 0.0 });
    }

    pub(super) fn add(&mut self, other: &Self) {
        let most = self.classes.len().max(other.classes.len());
        self.classes.resize(most, ClassCounts::default());
        for (sum, class) in self.classes.iter_mut().zip(&other.classes) {
            sum.add(*class);
        }
        self.rows += other.rows;
        self.labels = other.labels;
    }

    /// Computes the score of all classes; NaN when no row counts.
    pub(super) fn average(&self, average: Average, score: impl Fn(ClassCounts) -> f64) -> f64 {
        if self.rows == 0 {
            return f64::NAN;
        }
        let mean = |weight: fn(&Self, ClassCounts) -> u64| {
            let weights = || self.classes.iter().map(|class| weight(self, *class) as f64);
            let sum: f64 = weights().sum();
            let scores: f64 =
                self.classes.iter().zip(weights()).map(|(class, weight)| weight * score(*class)).sum();
            if sum == 0.0 { 0.0 } else { scores / sum }
        };
        match average {
            Average::Micro => {
                let mut sum = ClassCounts::default();
                self.classes.iter().for_each(|class| sum.add(*class));
                score(sum)
            }
            Average::Macro => mean(|counts, class| u64::from(counts.labels || class.decisions() > 0)),
            Average::Weighted => mean(|_, class| class.true_positives + class.false_negatives),
        }
    }
}

/// Returns the predicted class and the target of every row that counts.
///
/// # Panics
/// If there are not as many targets as predictions, or a target is no class.
#[track_caller]
pub(super) fn class_pairs(
    predictions: &TensorData,
    targets: &TensorData,
    classes: usize,
    pad: Option<usize>,
) -> Vec<(usize, usize)> {
    let (rows, given) = (predictions.num_elements(), targets.num_elements());
    assert!(rows == given, "metric: targets do not fit the scores; expected {rows} targets, got {given}");
    let pairs = predictions.iter::<i64>().zip(targets.iter::<i64>());
    let counted = pairs.filter(|(_, target)| pad.is_none_or(|pad| i64::try_from(pad) != Ok(*target)));
    counted
        .map(|(predicted, target)| {
            let class = usize::try_from(target).ok().filter(|class| *class < classes);
            let class = class.unwrap_or_else(|| {
                panic!("metric: a target is no class; expected one of {classes} classes, got {target}")
            });
            (predicted as usize, class)
        })
        .collect()
}

/// # Panics
/// If scores and targets have different shapes.
#[track_caller]
pub(super) fn same_shape(scores: &TensorData, targets: &TensorData) {
    assert!(
        scores.shape == targets.shape,
        "metric: predictions and targets have different shapes: {:?} and {:?}",
        scores.shape,
        targets.shape
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_classes_count_among_labels_only() {
        let classes = ConfusionCounts::of_classes(
            &TensorData::new([0_i64, 0], [2]),
            &TensorData::new([0_i64, 0], [2]),
            3,
            None,
        );
        assert_eq!(classes.average(Average::Macro, ClassCounts::precision), 1.0);
        let labels = ConfusionCounts::of_labels(
            &TensorData::new([0.9_f32, 0.1], [1, 2]),
            &TensorData::new([1_i64, 0], [1, 2]),
            0.5,
        );
        assert_eq!(labels.average(Average::Macro, ClassCounts::precision), 0.5);
    }

    #[test]
    #[should_panic(expected = "expected one of 3 classes, got 7")]
    fn a_target_that_is_no_class_panics() {
        class_pairs(&TensorData::new([0_i64], [1]), &TensorData::new([7_i64], [1]), 3, None);
    }
}
