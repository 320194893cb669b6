use super::{Aggregate, Direction, MetricHistory};
use crate::Split;

/// Numeric metric by which epochs are compared, for early stopping and for the choice of checkpoints.
///
/// ```
/// use burn::train::Split;
/// use burn::train::history::{Aggregate, Direction, MetricHistory, TrackedMetric};
///
/// let loss = TrackedMetric::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid);
/// let mut history = MetricHistory::default();
/// for (epoch, value) in [(1, 0.5), (2, 0.3), (3, 0.4)] {
///     history.record(Split::Valid, epoch, "Loss", value, "");
/// }
/// assert_eq!(loss.best_epoch(&history, 1..=3), Some(2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedMetric {
    /// The name of the metric.
    pub name: String,
    /// Which value of an epoch counts.
    pub aggregate: Aggregate,
    /// Which values are better.
    pub direction: Direction,
    /// The phase.
    pub split: Split,
}

impl TrackedMetric {
    /// Compares epochs by the metric called `name`.
    pub fn new(name: impl Into<String>, aggregate: Aggregate, direction: Direction, split: Split) -> Self {
        Self { name: name.into(), aggregate, direction, split }
    }

    /// Returns the value of an epoch, if it has the metric.
    pub fn value(&self, history: &MetricHistory, epoch: usize) -> Option<f64> {
        Some(history.stats(self.split, &self.name, epoch)?.get(self.aggregate))
    }

    /// Returns the best epoch among some, the first of equals, or none where no one has the metric.
    pub fn best_epoch(
        &self,
        history: &MetricHistory,
        among: impl IntoIterator<Item = usize>,
    ) -> Option<usize> {
        history.best_epoch((self.split, &self.name), (self.aggregate, self.direction), among)
    }
}
