use super::class_counts::{ClassCounts, ConfusionCounts};
use super::{Average, ClassificationInput, FormatOptions, MetricEntry, NumericEntry};
use burn_tensor::Backend;

/// The counts of an epoch, of which precision, recall and F-beta are made.
#[derive(Clone, Debug)]
pub(super) struct ScoreByClass {
    pub(super) threshold: f64,
    pub(super) average: Average,
    pub(super) pad_token: Option<usize>,
    total: ConfusionCounts,
}

impl Default for ScoreByClass {
    fn default() -> Self {
        Self {
            threshold: 0.5,
            average: Average::default(),
            pad_token: None,
            total: ConfusionCounts::default(),
        }
    }
}

impl ScoreByClass {
    /// Adds a batch, and reports the percentage of the epoch so far.
    #[track_caller]
    pub(super) fn update<B: Backend>(
        &mut self,
        input: &ClassificationInput<B>,
        name: String,
        score: impl Fn(ClassCounts) -> f64,
    ) -> MetricEntry {
        let counts = input.counts(self.threshold, self.pad_token);
        let value = 100.0 * counts.average(self.average, &score);
        self.total.add(&counts);
        let format = FormatOptions::new(name).unit("%").precision(2);
        MetricEntry::numeric(&format, self.value(score), NumericEntry { value, count: counts.rows })
    }

    pub(super) fn value(&self, score: impl Fn(ClassCounts) -> f64) -> f64 {
        100.0 * self.total.average(self.average, score)
    }

    pub(super) fn clear(&mut self) {
        self.total = ConfusionCounts::default();
    }
}

/// Writes the options that every metric with a field `score: ScoreByClass` has.
macro_rules! score_by_class_options {
    ($metric:ident) => {
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

            /// Leaves out the rows whose target is the class `token`.
            pub fn with_pad_token(mut self, token: usize) -> Self {
                self.score.pad_token = Some(token);
                self
            }
        }
    };
}

pub(super) use score_by_class_options;
