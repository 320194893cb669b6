use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;
use core::f64::consts::PI;

/// Cosine annealing: `min + (initial - min) (1 + cos(pi t / num_iters)) / 2` (Loshchilov and Hutter 2016).
///
/// After `num_iters` steps the learning rate stays at `min_lr`, or with `restarts` begins a new period,
/// `period_factor` times as long as the one before. PyTorch: `torch.optim.lr_scheduler.CosineAnnealingLR`,
/// and with `restarts` `CosineAnnealingWarmRestarts`.
#[doc(alias = "CosineAnnealingLR")]
#[derive(Config, Debug)]
pub struct CosineAnnealingLrSchedulerConfig {
    /// Learning rate of the first step.
    pub initial_lr: LearningRate,
    /// Number of steps of the first run; at least 1.
    pub num_iters: usize,
    /// Learning rate at the end of a run.
    #[config(default = 0.0)]
    pub min_lr: LearningRate,
    /// Whether the schedule restarts after each run.
    #[config(default = false)]
    pub restarts: bool,
    /// Length of each run divided by that of the one before; at least 1.
    #[config(default = 1)]
    pub period_factor: usize,
}

/// See [`CosineAnnealingLrSchedulerConfig`].
pub type CosineAnnealingLrScheduler = ScheduledLr<CosineAnnealingLrSchedulerConfig>;

#[fallible(config)]
impl CosineAnnealingLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<CosineAnnealingLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }

    /// Returns the position of a step in its period, and the length of that period.
    fn position(&self, step: usize) -> (usize, usize) {
        let first = self.num_iters.max(1);
        if !self.restarts {
            return (step.min(first), first);
        }
        if self.period_factor <= 1 {
            return (step % first, first);
        }
        let (mut step, mut period) = (step, first);
        while step >= period {
            step -= period;
            period = period.saturating_mul(self.period_factor);
        }
        (step, period)
    }
}

impl Schedule for CosineAnnealingLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("CosineAnnealingLrSchedulerConfig");
        check.not_negative("initial_lr", self.initial_lr)?;
        check.at_least("num_iters", self.num_iters, 1)?;
        check.not_negative("min_lr", self.min_lr)?;
        check.at_least("period_factor", self.period_factor, 1)
    }
    fn rate(&self, step: usize) -> LearningRate {
        let (step, period) = self.position(step);
        let share = (1.0 + libm::cos(PI * step as f64 / period as f64)) / 2.0;
        self.min_lr + (self.initial_lr - self.min_lr) * share
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::CosineAnnealingLrSchedulerConfig;

    #[test]
    fn cosine_goes_down_and_stays() {
        let config = CosineAnnealingLrSchedulerConfig::new(1.0, 4).with_min_lr(0.2);
        let half = 0.5_f64.sqrt();
        let expected = [1.0, 0.2 + 0.4 * (1.0 + half), 0.6, 0.2 + 0.4 * (1.0 - half), 0.2, 0.2];
        assert_rates(&config, &expected);
    }

    #[test]
    fn cosine_restarts_with_longer_periods() {
        let config = CosineAnnealingLrSchedulerConfig::new(1.0, 2).with_restarts(true);
        assert_rates(&config, &[1.0, 0.5, 1.0, 0.5, 1.0]);
        let half = 0.5_f64.sqrt();
        let expected = [1.0, 0.5, 1.0, 0.5 + 0.5 * half, 0.5, 0.5 - 0.5 * half, 1.0];
        assert_rates(&config.with_period_factor(2), &expected);
    }
}
