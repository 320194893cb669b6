use crate::LearningRate;
use burn_core::record::Record;
use burn_core::tensor::Backend;

/// Gives the learning rate of each step.
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
    /// The state between steps, as it is saved.
    type Record<B: Backend>: Record<B>;

    /// The rate of this step; the next call is about the next one.
    fn step(&mut self) -> LearningRate;

    /// The state.
    fn to_record<B: Backend>(&self) -> Self::Record<B>;

    /// This scheduler with the state of `record`.
    #[must_use]
    fn load_record<B: Backend>(self, record: Self::Record<B>) -> Self;
}

/// A constant rate.
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
