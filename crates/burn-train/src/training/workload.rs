use super::batch_progress::BatchProgress;
use crate::checkpoint::Part;
use crate::metric::MetricMetadata;
use crate::renderer::{Interrupter, MetricState, TrainingProgress};
use crate::{Split, TrainError};
use burn_core::record::Node;
use burn_dataset::dataloader::Progress;

/// Interface of the loop to a model, its data and its metrics.
pub(super) trait Workload {
    /// Opens the data of one phase of an epoch, passes over the first batches, and clears the metrics.
    fn start(&mut self, split: Split, epoch: usize, skipped: usize) -> Result<(), TrainError>;

    /// Takes the next batch of the phase that was started, learns from it on the training phase, and
    /// adds what the metrics say to `states`. Returns none when there is no more.
    fn batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError>;

    /// Ends the phase that was started: gradients that are not yet learnt from are, and ranks share their
    /// buffers.
    fn end(&mut self, split: Split) -> Result<(), TrainError>;

    /// Returns whether the run is asked to stop, on any rank.
    fn should_stop(&self, interrupter: &Interrupter) -> Result<bool, TrainError>;

    /// Waits until all ranks are here.
    fn barrier(&self) -> Result<(), TrainError>;

    /// Keeps the model as it is after an epoch: it is the best one so far.
    fn keep_best(&mut self);

    /// Lets the run return the model that was kept, and returns whether there is one.
    fn return_best(&mut self) -> bool;

    /// Returns the tree of a part of a checkpoint, if there is this part.
    fn tree(&self, part: Part) -> Option<Node>;
}

/// Where a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) split: Split,
    pub(crate) epoch: usize,
    pub(crate) epoch_total: usize,
    /// The batch in the epoch, from 1.
    pub(crate) iteration: usize,
    /// Seed of the random numbers of the step.
    pub(crate) seed: u64,
}

/// Result of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BatchDone {
    pub(super) progress: Progress,
    /// The learning rate of the last step of the optimizer.
    pub(super) lr: Option<f64>,
    /// Whether gradients wait for more of them.
    pub(super) accumulating: bool,
    /// Whether the batch was forgotten, because its gradients are not finite.
    pub(super) skipped: bool,
}

impl Position {
    pub(super) fn metadata(&self, batch: BatchProgress, lr: Option<f64>) -> MetricMetadata {
        let Self { epoch, epoch_total, iteration, .. } = *self;
        let BatchProgress { progress, items } = batch;
        MetricMetadata { progress, epoch, epoch_total, iteration, items: (items > 0).then_some(items), lr }
    }

    pub(crate) fn progress(&self, progress: Progress) -> TrainingProgress {
        let Self { epoch, epoch_total, iteration, .. } = *self;
        TrainingProgress { progress, epoch, epoch_total, iteration }
    }
}
