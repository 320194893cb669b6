use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Decay by `gamma` at each milestone: `initial gamma^n`, where `n` milestones are not after step `t`.
/// PyTorch: `torch.optim.lr_scheduler.MultiStepLR`.
#[doc(alias = "MultiStepLR")]
#[derive(Config, Debug)]
pub struct MultiStepLrSchedulerConfig {
    /// Learning rate of the first step.
    pub initial_lr: LearningRate,
    /// Steps at which the learning rate is multiplied by `gamma`, in ascending order.
    pub milestones: Vec<usize>,
    /// Factor of the learning rate at each milestone; positive.
    #[config(default = 0.1)]
    pub gamma: f64,
}

/// See [`MultiStepLrSchedulerConfig`].
pub type MultiStepLrScheduler = ScheduledLr<MultiStepLrSchedulerConfig>;

#[fallible(config)]
impl MultiStepLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<MultiStepLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for MultiStepLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("MultiStepLrSchedulerConfig");
        check.not_negative("initial_lr", self.initial_lr)?;
        check.ensure(self.milestones.is_sorted(), "milestones", &self.milestones, "ascending order")?;
        check.positive("gamma", self.gamma)
    }
    fn rate(&self, step: usize) -> LearningRate {
        let passed = self.milestones.iter().filter(|&&milestone| milestone <= step).count();
        self.initial_lr * libm::pow(self.gamma, passed as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::MultiStepLrSchedulerConfig;

    #[test]
    fn multi_step_rate_shrinks_at_its_milestones() {
        let config = MultiStepLrSchedulerConfig::new(1.0, [1, 4].into()).with_gamma(0.5);
        assert_rates(&config, &[1.0, 0.5, 0.5, 0.5, 0.25, 0.25]);
    }
}
