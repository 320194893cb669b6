use super::CheckpointingStrategy;
use crate::Split;
use crate::history::{Aggregate, Direction, MetricHistory, TrackedMetric};

/// Keeps the checkpoint of the epoch that is best by a numeric metric, the first of equals.
///
/// As long as no epoch has the metric, the latest checkpoint is kept.
///
/// ```
/// use burn::train::Split;
/// use burn::train::checkpoint::{CheckpointingStrategy, MetricCheckpointingStrategy};
/// use burn::train::history::{Aggregate, Direction, MetricHistory};
///
/// let lowest_loss =
///     MetricCheckpointingStrategy::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid);
/// let mut history = MetricHistory::default();
/// for (epoch, loss) in [(1, 0.5), (2, 0.3), (3, 0.4)] {
///     history.record(Split::Valid, epoch, "Loss", loss, "");
/// }
/// assert_eq!(lowest_loss.keep(&[2, 3], &history), [2]);
/// ```
#[derive(Clone, Debug)]
pub struct MetricCheckpointingStrategy {
    metric: TrackedMetric,
}

impl MetricCheckpointingStrategy {
    /// Compares epochs by the metric called `name`.
    pub fn new(name: impl Into<String>, aggregate: Aggregate, direction: Direction, split: Split) -> Self {
        Self { metric: TrackedMetric::new(name, aggregate, direction, split) }
    }
}

impl CheckpointingStrategy for MetricCheckpointingStrategy {
    fn keep(&self, epochs: &[usize], history: &MetricHistory) -> Vec<usize> {
        let best = self.metric.best_epoch(history, epochs.iter().copied());
        best.or(epochs.last().copied()).into_iter().collect()
    }

    fn metrics(&self) -> Vec<TrackedMetric> {
        vec![self.metric.clone()]
    }
}

impl From<TrackedMetric> for MetricCheckpointingStrategy {
    fn from(metric: TrackedMetric) -> Self {
        Self { metric }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_metric_the_latest_stays() {
        let strategy =
            MetricCheckpointingStrategy::new("F1", Aggregate::Mean, Direction::Highest, Split::Train);
        assert_eq!(strategy.keep(&[1, 2], &MetricHistory::default()), [2]);
        assert!(strategy.keep(&[], &MetricHistory::default()).is_empty());
    }

    #[test]
    fn the_aggregate_decides() {
        let mut history = MetricHistory::default();
        for (epoch, lines) in [(1, ["0,1", "8,1"]), (2, ["3,1", "4,1"])] {
            for line in lines {
                history.record(Split::Valid, epoch, "Loss", epoch as f64, line);
            }
        }
        let kept = |aggregate| {
            MetricCheckpointingStrategy::new("Loss", aggregate, Direction::Lowest, Split::Valid)
                .keep(&[1, 2], &history)
        };
        assert_eq!(kept(Aggregate::Mean), [1]);
        assert_eq!(kept(Aggregate::Last), [2]);
        assert_eq!(kept(Aggregate::Min), [1]);
        assert_eq!(kept(Aggregate::Max), [2]);
    }
}
