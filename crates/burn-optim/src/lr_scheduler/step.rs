use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Step decay: by `gamma` every `step_size` steps, `initial gamma^floor(t / step_size)`. PyTorch:
/// `torch.optim.lr_scheduler.StepLR`.
#[doc(alias = "StepLR")]
#[derive(Config, Debug)]
pub struct StepLrSchedulerConfig {
    /// Learning rate of the first step.
    pub initial_lr: LearningRate,
    /// Number of steps with one learning rate; at least 1.
    pub step_size: usize,
    /// Factor of the learning rate after every `step_size` steps; positive.
    #[config(default = 0.1)]
    pub gamma: f64,
}

/// See [`StepLrSchedulerConfig`].
pub type StepLrScheduler = ScheduledLr<StepLrSchedulerConfig>;

#[fallible(config)]
impl StepLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<StepLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for StepLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("StepLrSchedulerConfig");
        check.not_negative("initial_lr", self.initial_lr)?;
        check.at_least("step_size", self.step_size, 1)?;
        check.positive("gamma", self.gamma)
    }
    fn rate(&self, step: usize) -> LearningRate {
        self.initial_lr * libm::pow(self.gamma, (step / self.step_size.max(1)) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::StepLrSchedulerConfig;

    #[test]
    fn step_rate_shrinks_now_and_then() {
        assert_rates(&StepLrSchedulerConfig::new(1.0, 2), &[1.0, 1.0, 0.1, 0.1, 0.01]);
    }
}
