use crate::checkpoint::Part;
use crate::metric::MetricMetadata;
use crate::renderer::{MetricState, TrainingProgress};
use crate::{Split, TrainError};
use burn_core::record::RecordError;
use burn_dataset::dataloader::Progress;
use std::path::PathBuf;

/// What the loop asks of a model, its data and its metrics.
pub(super) trait Workload {
    /// Opens the data of one side of an epoch, passes over the first batches, and clears the metrics.
    fn start(&mut self, split: Split, epoch: usize, skipped: usize) -> Result<(), TrainError>;

    /// Takes the next batch of the side that was started, learns from it on the training side, and
    /// adds what the metrics say to `states`. Returns none when there is no more.
    fn batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError>;

    /// Ends the side that was started: gradients that are not yet learnt from are.
    fn end(&mut self, split: Split);

    /// Saves a part of a checkpoint at a path without extension.
    fn save(&self, part: Part, path: PathBuf) -> Result<(), PartError>;
}

/// Why a part of a checkpoint is not saved.
#[derive(Debug)]
pub(super) enum PartError {
    /// What this key holds is NaN.
    Nan(String),
    Record(RecordError),
}

/// Where a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) split: Split,
    pub(super) epoch: usize,
    pub(super) epoch_total: usize,
    /// The batch in the epoch, from 1.
    pub(super) iteration: usize,
    /// What the random numbers of the step start with.
    pub(super) seed: u64,
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BatchDone {
    pub(super) progress: Progress,
    /// The learning rate of the last step of the optimizer.
    pub(super) lr: Option<f64>,
    /// Whether gradients wait for more of them.
    pub(super) accumulating: bool,
}

impl Position {
    pub(super) fn metadata(&self, progress: Progress, lr: Option<f64>) -> MetricMetadata {
        let Self { epoch, epoch_total, iteration, .. } = *self;
        MetricMetadata { progress, epoch, epoch_total, iteration, lr }
    }

    pub(super) fn progress(&self, progress: Progress) -> TrainingProgress {
        let Self { epoch, epoch_total, iteration, .. } = *self;
        TrainingProgress { progress, epoch, epoch_total, iteration }
    }
}
