use super::class_counts::{ClassCounts, ConfusionCounts};
use super::{Average, ClassificationInput, FormatOptions, MetricEntry, NumericEntry};
use burn_tensor::Backend;

/// The counts of an epoch, of which precision, recall and F-beta are made.
#[derive(Clone, Debug)]
pub(super) struct ScoreByClass {
    pub(super) threshold: f64,
    pub(super) average: Average,
    pub(super) pad_token: Option<usize>,
    /// The number of classes that each row predicts.
    pub(super) top_k: usize,
    total: ConfusionCounts,
}

impl Default for ScoreByClass {
    fn default() -> Self {
        Self {
            threshold: 0.5,
            average: Average::default(),
            pad_token: None,
            top_k: 1,
            total: ConfusionCounts::default(),
        }
    }
}

impl ScoreByClass {
    /// Counts the decisions of a batch.
    #[track_caller]
    pub(super) fn count<B: Backend>(&self, input: &ClassificationInput<B>) -> Vec<f64> {
        input.counts(self.threshold, self.pad_token, self.top_k).to_numbers()
    }

    /// Adds a batch by the counts of its parts, and reports the percentage of the epoch so far.
    pub(super) fn add(
        &mut self,
        parts: &[Vec<f64>],
        name: &str,
        score: impl Fn(ClassCounts) -> f64,
    ) -> MetricEntry {
        let mut counts = ConfusionCounts::default();
        parts.iter().for_each(|part| counts.add_numbers(part));
        let value = 100.0 * counts.average(self.average, &score);
        self.total.add(&counts);
        let format = FormatOptions::new(self.name(name)).unit("%").precision(2);
        MetricEntry::numeric(&format, self.value(score), NumericEntry { value, count: counts.rows })
    }

    pub(super) fn value(&self, score: impl Fn(ClassCounts) -> f64) -> f64 {
        100.0 * self.total.average(self.average, score)
    }

    /// Returns the name of the metric with the number of classes that a row predicts.
    pub(super) fn name(&self, name: &str) -> String {
        match self.top_k {
            1 => name.to_string(),
            top_k => format!("Top-{top_k} {name}"),
        }
    }

    pub(super) fn clear(&mut self) {
        self.total = ConfusionCounts::default();
    }
}

/// Writes the options that every metric with a field `score: ScoreByClass` has, and implements the traits of
/// a metric; `title` and `score` are functions of the metric.
macro_rules! score_by_class_metric {
    ($metric:ident, $title:expr, $score:expr) => {
        impl<B: Backend> $metric<B> {
            /// Sets how the scores of the classes are averaged.
            pub fn with_average(mut self, average: $crate::metric::Average) -> Self {
                self.score.average = average;
                self
            }

            /// Sets the score above which a label is predicted.
            pub fn with_threshold(mut self, threshold: f64) -> Self {
                self.score.threshold = threshold;
                self
            }

            /// Predicts the `k` classes with the highest scores of each row, where classes are exclusive;
            /// labels are not concerned.
            ///
            /// All of them count, as in precision and recall at `k`: of a row with its target among them, the
            /// others are false positives. The name begins with `Top-k`. A `k` above the number of classes
            /// predicts all of them.
            ///
            /// # Panics
            /// If `k` is zero.
            #[track_caller]
            pub fn with_top_k(mut self, k: usize) -> Self {
                assert!(
                    k > 0,
                    "metric: a row predicts too few classes; expected a top-k of one at least, got 0"
                );
                self.score.top_k = k;
                self
            }

            /// Leaves out the rows whose target is the class `token`.
            pub fn with_pad_token(mut self, token: usize) -> Self {
                self.score.pad_token = Some(token);
                self
            }
        }

        impl<B: Backend> Metric for $metric<B> {
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
                let title = ($title)(self);
                Some(self.score.name(title.as_ref()))
            }

            fn direction(&self) -> Option<Direction> {
                Some(Direction::Highest)
            }

            fn clear(&mut self) {
                self.score.clear();
            }

            fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
                Some(self)
            }
        }

        impl<B: Backend> CountedMetric<ClassificationInput<B>> for $metric<B> {
            fn count(&self, input: &ClassificationInput<B>) -> Vec<f64> {
                self.score.count(input)
            }

            fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
                let (title, score) = (($title)(&*self), ($score)(&*self));
                self.score.add(parts, title.as_ref(), score)
            }
        }

        impl<B: Backend> Numeric for $metric<B> {
            fn value(&self) -> f64 {
                self.score.value(($score)(self))
            }
        }
    };
}

pub(super) use score_by_class_metric;
