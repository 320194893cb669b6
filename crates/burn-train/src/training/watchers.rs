use crate::TrainError;
use crate::callback::{BatchEnd, CallbackResult, EpochInfo, RunInfo, TrainingCallback};

/// The callbacks of a run, in the order in which they were added.
#[derive(Default)]
pub(super) struct Watchers(pub(super) Vec<Box<dyn TrainingCallback>>);

impl Watchers {
    pub(super) fn train_start(&mut self, run: &RunInfo<'_>) -> Result<(), TrainError> {
        self.each(|callback| callback.on_train_start(run))
    }

    pub(super) fn epoch_start(&mut self, epoch: &EpochInfo<'_>) -> Result<(), TrainError> {
        self.each(|callback| callback.on_epoch_start(epoch))
    }

    pub(super) fn batch_end(&mut self, batch: &BatchEnd<'_>) -> Result<(), TrainError> {
        self.each(|callback| callback.on_batch_end(batch))
    }

    pub(super) fn epoch_end(&mut self, epoch: &EpochInfo<'_>) -> Result<(), TrainError> {
        self.each(|callback| callback.on_epoch_end(epoch))
    }

    /// Calls all of them, whatever one says, and returns the first error.
    pub(super) fn train_end(&mut self, run: &RunInfo<'_>) -> Result<(), TrainError> {
        let results: Vec<CallbackResult> =
            self.0.iter_mut().map(|callback| callback.on_train_end(run)).collect();
        results.into_iter().collect::<CallbackResult>().map_err(TrainError::Callback)
    }

    fn each(
        &mut self,
        mut call: impl FnMut(&mut dyn TrainingCallback) -> CallbackResult,
    ) -> Result<(), TrainError> {
        self.0.iter_mut().try_for_each(|callback| call(&mut **callback)).map_err(TrainError::Callback)
    }
}
