use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Linear interpolation: `initial + (final - initial) min(t / num_iters, 1)`. PyTorch:
/// `torch.optim.lr_scheduler.LinearLR`.
#[doc(alias = "LinearLR")]
#[derive(Config, Debug)]
pub struct LinearLrSchedulerConfig {
    /// Learning rate of the first step.
    pub initial_lr: LearningRate,
    /// Learning rate after `num_iters` steps, and from then on.
    pub final_lr: LearningRate,
    /// Number of steps from one rate to the other; at least 1.
    pub num_iters: usize,
}

/// See [`LinearLrSchedulerConfig`].
pub type LinearLrScheduler = ScheduledLr<LinearLrSchedulerConfig>;

#[fallible(config)]
impl LinearLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<LinearLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for LinearLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("LinearLrSchedulerConfig");
        check.not_negative("initial_lr", self.initial_lr)?;
        check.not_negative("final_lr", self.final_lr)?;
        check.at_least("num_iters", self.num_iters, 1)
    }
    fn rate(&self, step: usize) -> LearningRate {
        if step >= self.num_iters {
            return self.final_lr;
        }
        let share = step as f64 / self.num_iters as f64;
        self.initial_lr + (self.final_lr - self.initial_lr) * share
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::LinearLrSchedulerConfig;

    #[test]
    fn linear_rate_goes_up_and_stays() {
        assert_rates(&LinearLrSchedulerConfig::new(0.1, 0.5, 4), &[0.1, 0.2, 0.3, 0.4, 0.5, 0.5]);
        assert_rates(&LinearLrSchedulerConfig::new(0.1, 0.5, 0), &[0.5, 0.5]);
    }
}
