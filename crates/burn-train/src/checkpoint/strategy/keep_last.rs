use super::CheckpointingStrategy;
use crate::history::MetricHistory;

/// Keeps the latest checkpoints; two by default.
///
/// ```
/// use burn::train::checkpoint::{CheckpointingStrategy, KeepLastNCheckpoints};
///
/// assert_eq!(KeepLastNCheckpoints::new(2).keep(&[1, 2, 3], &Default::default()), [2, 3]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KeepLastNCheckpoints {
    number: usize,
}

impl KeepLastNCheckpoints {
    /// Keeps `number` checkpoints.
    ///
    /// # Panics
    /// If `number` is zero.
    #[track_caller]
    pub fn new(number: usize) -> Self {
        assert!(number > 0, "keeping no checkpoint is done by not having a checkpointer");
        Self { number }
    }
}

impl Default for KeepLastNCheckpoints {
    fn default() -> Self {
        Self::new(2)
    }
}

impl CheckpointingStrategy for KeepLastNCheckpoints {
    fn keep(&self, epochs: &[usize], _history: &MetricHistory) -> Vec<usize> {
        epochs[epochs.len().saturating_sub(self.number)..].to_vec()
    }
}
