use super::RunInfo;
use crate::Split;
use crate::history::MetricHistory;
use crate::renderer::{Interrupter, MetricState, TrainingProgress};
use std::error::Error;

/// Result of a callback; an error ends the run.
pub type CallbackResult = Result<(), Box<dyn Error + Send + Sync>>;

/// Something that is called at the start and end of runs and epochs, and after every batch.
///
/// It is added with [`LearnerBuilder::callback`](crate::LearnerBuilder::callback), and called after the
/// metrics are logged. The interrupter that it is given stops the run.
///
/// ```
/// use burn::train::Split;
/// use burn::train::callback::{BatchEnd, CallbackResult, TrainingCallback};
///
/// /// Stops a run after a number of training batches.
/// struct Budget(u64);
///
/// impl TrainingCallback for Budget {
///     fn on_batch_end(&mut self, batch: &BatchEnd<'_>) -> CallbackResult {
///         if batch.split == Split::Train && batch.step >= self.0 {
///             batch.interrupter.stop("the budget is spent");
///         }
///         Ok(())
///     }
/// }
/// ```
pub trait TrainingCallback: Send {
    /// Called once, before the first epoch.
    ///
    /// # Errors
    /// If the run cannot go on.
    fn on_train_start(&mut self, run: &RunInfo<'_>) -> CallbackResult {
        let _ = run;
        Ok(())
    }

    /// Called before the training batches of an epoch.
    ///
    /// # Errors
    /// If the run cannot go on.
    fn on_epoch_start(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
        let _ = epoch;
        Ok(())
    }

    /// Called after every batch of training and validation.
    ///
    /// # Errors
    /// If the run cannot go on.
    fn on_batch_end(&mut self, batch: &BatchEnd<'_>) -> CallbackResult {
        let _ = batch;
        Ok(())
    }

    /// Called after the validation of an epoch, before its checkpoint is saved. A run that is killed in
    /// between does the epoch over and calls it again.
    ///
    /// # Errors
    /// If the run cannot go on.
    fn on_epoch_end(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
        let _ = epoch;
        Ok(())
    }

    /// Called once, after the last epoch, also of a run that is stopped or ends with an error.
    ///
    /// # Errors
    /// If something could not be finished; it becomes the error of a run that has none.
    fn on_train_end(&mut self, run: &RunInfo<'_>) -> CallbackResult {
        let _ = run;
        Ok(())
    }
}

/// An epoch.
#[derive(Clone, Copy, Debug)]
pub struct EpochInfo<'a> {
    /// The epoch, from 1.
    pub epoch: usize,
    /// Number of epochs of the run.
    pub epoch_total: usize,
    /// Number of training batches so far.
    pub step: u64,
    /// Learning rate of the last step of the optimizer.
    pub lr: Option<f64>,
    /// Metrics of all epochs so far.
    pub history: &'a MetricHistory,
    /// Stops the run.
    pub interrupter: &'a Interrupter,
}

/// A batch that is done.
#[derive(Clone, Copy, Debug)]
pub struct BatchEnd<'a> {
    /// Phase of the batch.
    pub split: Split,
    /// How far the run has come.
    pub progress: &'a TrainingProgress,
    /// Number of training batches so far, this one included.
    pub step: u64,
    /// Learning rate of the last step of the optimizer.
    pub lr: Option<f64>,
    /// Whether the batch was skipped by [`NanPolicy::Skip`](crate::NanPolicy::Skip); it has no metrics then.
    pub skipped: bool,
    /// States of the metrics.
    pub metrics: &'a [MetricState],
    /// Stops the run.
    pub interrupter: &'a Interrupter,
}
