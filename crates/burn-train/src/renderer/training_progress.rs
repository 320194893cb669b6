use burn_dataset::dataloader::Progress;

/// How far the run has come, after a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrainingProgress {
    /// How far the epoch has come, in items.
    pub progress: Progress,
    /// The epoch, from 1.
    pub epoch: usize,
    /// The number of epochs of the run.
    pub epoch_total: usize,
    /// The batch in the epoch, from 1.
    pub iteration: usize,
}
