use super::CheckpointingStrategy;
use crate::history::{MetricHistory, TrackedMetric};
use std::fmt;

/// Keeps what any of several strategies keeps.
///
/// ```
/// use burn::train::Split;
/// use burn::train::checkpoint::*;
/// use burn::train::history::{Aggregate, Direction};
///
/// let last_two_and_best = ComposedCheckpointingStrategy::new()
///     .with(KeepLastNCheckpoints::new(2))
///     .with(MetricCheckpointingStrategy::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid));
/// # let mut history = burn::train::history::MetricHistory::default();
/// # for (epoch, loss) in [(1, 0.2), (2, 0.3), (3, 0.4), (4, 0.3)] {
/// #     history.record(Split::Valid, epoch, "Loss", loss, "");
/// # }
/// # assert_eq!(last_two_and_best.keep(&[1, 2, 3, 4], &history), [1, 3, 4]);
/// ```
#[derive(Default)]
pub struct ComposedCheckpointingStrategy {
    strategies: Vec<Box<dyn CheckpointingStrategy>>,
}

impl ComposedCheckpointingStrategy {
    /// Keeps nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps what `strategy` keeps too.
    pub fn with(mut self, strategy: impl CheckpointingStrategy + 'static) -> Self {
        self.strategies.push(Box::new(strategy));
        self
    }
}

impl CheckpointingStrategy for ComposedCheckpointingStrategy {
    fn keep(&self, epochs: &[usize], history: &MetricHistory) -> Vec<usize> {
        let kept: Vec<usize> =
            self.strategies.iter().flat_map(|strategy| strategy.keep(epochs, history)).collect();
        epochs.iter().copied().filter(|epoch| kept.contains(epoch)).collect()
    }

    fn metrics(&self) -> Vec<TrackedMetric> {
        self.strategies.iter().flat_map(|strategy| strategy.metrics()).collect()
    }
}

impl fmt::Debug for ComposedCheckpointingStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ComposedCheckpointingStrategy({} strategies)", self.strategies.len())
    }
}
