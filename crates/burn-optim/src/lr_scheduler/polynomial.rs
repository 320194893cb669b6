use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Polynomial decay: `final + (initial - final) (1 - min(t / num_iters, 1))^power`. PyTorch:
/// `torch.optim.lr_scheduler.PolynomialLR`, whose final learning rate is 0.
#[doc(alias = "PolynomialLR")]
#[derive(Config, Debug)]
pub struct PolynomialLrSchedulerConfig {
    /// Learning rate of the first step.
    pub initial_lr: LearningRate,
    /// Number of steps of the decay; at least 1.
    pub num_iters: usize,
    /// Power of the polynomial; positive.
    #[config(default = 1.0)]
    pub power: f64,
    /// Learning rate after `num_iters` steps, and from then on.
    #[config(default = 0.0)]
    pub final_lr: LearningRate,
}

/// See [`PolynomialLrSchedulerConfig`].
pub type PolynomialLrScheduler = ScheduledLr<PolynomialLrSchedulerConfig>;

#[fallible(config)]
impl PolynomialLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<PolynomialLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for PolynomialLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("PolynomialLrSchedulerConfig");
        check.not_negative("initial_lr", self.initial_lr)?;
        check.at_least("num_iters", self.num_iters, 1)?;
        check.positive("power", self.power)?;
        check.not_negative("final_lr", self.final_lr)
    }
    fn rate(&self, step: usize) -> LearningRate {
        let left = self.num_iters.saturating_sub(step) as f64 / self.num_iters.max(1) as f64;
        self.final_lr + (self.initial_lr - self.final_lr) * libm::pow(left, self.power)
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::PolynomialLrSchedulerConfig;

    #[test]
    fn polynomial_rate_decays_to_its_final_rate() {
        let config = PolynomialLrSchedulerConfig::new(1.0, 4).with_power(2.0);
        assert_rates(&config, &[1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0]);
        assert_rates(&config.with_final_lr(0.5), &[1.0, 0.78125, 0.625, 0.53125, 0.5, 0.5]);
    }
}
