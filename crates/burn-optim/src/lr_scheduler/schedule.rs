use super::LrScheduler;
use crate::LearningRate;
use burn_core::config::ConfigError;
use burn_core::tensor::Backend;
use burn_derive::fallible;
use core::fmt::Debug;

/// Schedule: the learning rate as a formula of the number of steps.
pub trait Schedule: Clone + Debug + Send + Sync {
    /// Returns the learning rate of step `step`, from 0.
    fn rate(&self, step: usize) -> LearningRate;

    /// Checks the fields, before a scheduler is made: every rate must be a finite number of at least 0.
    ///
    /// # Errors
    /// A field is out of its range.
    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }
}

/// Scheduler that counts the steps of a schedule.
#[derive(Clone, Debug)]
pub struct ScheduledLr<S> {
    pub(super) schedule: S,
    pub(super) step: usize,
}

#[fallible(config)]
impl<S: Schedule> ScheduledLr<S> {
    /// Returns the scheduler of `schedule`, before its first step.
    ///
    /// # Errors
    /// A field of the schedule is out of its range; see [`Schedule::validate`].
    pub fn try_new(schedule: S) -> Result<Self, ConfigError> {
        schedule.validate()?;
        Ok(ScheduledLr { schedule, step: 0 })
    }
}

/// The state is the number of steps that were taken.
impl<S: Schedule> LrScheduler for ScheduledLr<S> {
    type Record<B: Backend> = usize;

    fn step(&mut self) -> LearningRate {
        let rate = self.schedule.rate(self.step);
        self.step += 1;
        rate
    }
    fn to_record<B: Backend>(&self) -> usize {
        self.step
    }
    fn load_record<B: Backend>(mut self, record: usize) -> Self {
        self.step = record;
        self
    }
}
