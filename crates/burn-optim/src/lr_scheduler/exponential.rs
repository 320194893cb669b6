use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Exponential decay: `initial gamma^t`. PyTorch: `torch.optim.lr_scheduler.ExponentialLR`.
#[doc(alias = "ExponentialLR")]
#[derive(Config, Debug)]
pub struct ExponentialLrSchedulerConfig {
    /// Learning rate of the first step.
    pub initial_lr: LearningRate,
    /// Factor of the learning rate at each step; positive.
    pub gamma: f64,
}

/// See [`ExponentialLrSchedulerConfig`].
pub type ExponentialLrScheduler = ScheduledLr<ExponentialLrSchedulerConfig>;

#[fallible(config)]
impl ExponentialLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<ExponentialLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for ExponentialLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("ExponentialLrSchedulerConfig");
        check.not_negative("initial_lr", self.initial_lr)?;
        check.positive("gamma", self.gamma)
    }
    fn rate(&self, step: usize) -> LearningRate {
        self.initial_lr * libm::pow(self.gamma, step as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::ExponentialLrSchedulerConfig;

    #[test]
    fn exponential_rate_shrinks_by_its_factor() {
        assert_rates(&ExponentialLrSchedulerConfig::new(0.8, 0.5), &[0.8, 0.4, 0.2, 0.1]);
    }
}
