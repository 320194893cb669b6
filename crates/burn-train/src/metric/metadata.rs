use burn_dataset::dataloader::Progress;

/// Where in the run a batch is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricMetadata {
    /// How far the epoch has come, this batch included.
    pub progress: Progress,
    /// The epoch, from 1.
    pub epoch: usize,
    /// The number of epochs of the run.
    pub epoch_total: usize,
    /// The batch in the epoch, from 1.
    pub iteration: usize,
    /// The number of items of the batch; none where the loader does not count them, or outside of a run.
    pub items: Option<usize>,
    /// The learning rate of the last step of the optimizer; none before the first.
    pub lr: Option<f64>,
}
