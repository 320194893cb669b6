use burn_dataset::dataloader::Progress;

/// How far an epoch has come with a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchProgress {
    pub(crate) progress: Progress,
    /// The items of the batch.
    pub(crate) items: usize,
}
