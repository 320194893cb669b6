use crate::history::{MetricHistory, TrackedMetric};

/// Says which checkpoints are kept when an epoch is over.
///
/// ```
/// use burn::train::checkpoint::CheckpointingStrategy;
/// use burn::train::history::MetricHistory;
///
/// /// Keeps every tenth epoch and the latest.
/// struct EveryTenth;
///
/// impl CheckpointingStrategy for EveryTenth {
///     fn keep(&self, epochs: &[usize], _history: &MetricHistory) -> Vec<usize> {
///         let latest = epochs.last().copied();
///         epochs.iter().copied().filter(|&epoch| epoch % 10 == 0 || Some(epoch) == latest).collect()
///     }
/// }
///
/// let kept = EveryTenth.keep(&[10, 18, 19], &MetricHistory::default());
/// assert_eq!(kept, [10, 19]);
/// ```
pub trait CheckpointingStrategy: Send {
    /// Returns the epochs to keep among `epochs`: those that have a checkpoint, in ascending order,
    /// and last the one that is just over. Where that one is not kept, it is not even saved.
    fn keep(&self, epochs: &[usize], history: &MetricHistory) -> Vec<usize>;

    /// Returns the metrics by which epochs are compared, which the run has to have.
    fn metrics(&self) -> Vec<TrackedMetric> {
        Vec::new()
    }
}

impl CheckpointingStrategy for Box<dyn CheckpointingStrategy> {
    fn keep(&self, epochs: &[usize], history: &MetricHistory) -> Vec<usize> {
        (**self).keep(epochs, history)
    }

    fn metrics(&self) -> Vec<TrackedMetric> {
        (**self).metrics()
    }
}
