use crate::LearningRate;
use burn_core::record::Record;
use burn_core::tensor::Backend;

/// Learning-rate scheduler: returns the learning rate of each step.
///
/// ```
/// use burn::lr_scheduler::{LinearLrSchedulerConfig, LrScheduler};
///
/// let mut scheduler = LinearLrSchedulerConfig::new(1.0, 0.0, 4).init();
/// let rates: Vec<f64> = (0..6).map(|_| scheduler.step()).collect();
/// assert_eq!(rates, [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]);
///
/// let mut constant = 0.1;
/// assert_eq!([constant.step(), constant.step()], [0.1, 0.1]);
/// ```
pub trait LrScheduler: Clone + Send + Sync {
    /// Record of the state between steps.
    type Record<B: Backend>: Record<B>;

    /// Returns the learning rate of this step and advances to the next one.
    fn step(&mut self) -> LearningRate;

    /// Passes the scheduler a metric of the training so far, such as the validation loss after an epoch.
    /// Those that follow a formula of the number of steps ignore it;
    /// [`ReduceOnPlateauLrScheduler`](super::ReduceOnPlateauLrScheduler) does not.
    fn report(&mut self, _metric: f64) {}

    /// Returns whether the scheduler does nothing without [reports](Self::report): a training loop that has
    /// none to give ends with an error.
    fn needs_reports(&self) -> bool {
        false
    }

    /// Returns the state.
    fn to_record<B: Backend>(&self) -> Self::Record<B>;

    /// Returns this scheduler with the state of `record`.
    #[must_use]
    fn load_record<B: Backend>(self, record: Self::Record<B>) -> Self;
}

/// A constant learning rate.
impl LrScheduler for LearningRate {
    type Record<B: Backend> = ();

    fn step(&mut self) -> LearningRate {
        *self
    }
    fn to_record<B: Backend>(&self) {}
    fn load_record<B: Backend>(self, _record: ()) -> Self {
        self
    }
}
