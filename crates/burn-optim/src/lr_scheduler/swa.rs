use super::{AnnealStrategy, Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Learning rate of stochastic weight averaging: from `initial_lr` to `swa_lr` in `num_iters` steps, then
/// constant. PyTorch: `torch.optim.swa_utils.SWALR`.
///
/// It follows the schedule of the first part of the training, as a part of a
/// [`SequentialLrSchedulerConfig`](super::SequentialLrSchedulerConfig); the average is
/// [`SwaConfig`](crate::SwaConfig).
#[doc(alias = "SWALR")]
#[derive(Config, Debug)]
pub struct SwaLrSchedulerConfig {
    /// Learning rate of the first step.
    pub initial_lr: LearningRate,
    /// Learning rate after `num_iters` steps, and from then on.
    pub swa_lr: LearningRate,
    /// Number of steps from one to the other; 0 for none.
    #[config(default = 10)]
    pub num_iters: usize,
    /// Curve between the learning rates.
    #[config(default = "AnnealStrategy::Cosine")]
    pub anneal_strategy: AnnealStrategy,
}

/// See [`SwaLrSchedulerConfig`].
pub type SwaLrScheduler = ScheduledLr<SwaLrSchedulerConfig>;

#[fallible(config)]
impl SwaLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<SwaLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for SwaLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("SwaLrSchedulerConfig");
        check.not_negative("initial_lr", self.initial_lr)?;
        check.not_negative("swa_lr", self.swa_lr)
    }
    fn rate(&self, step: usize) -> LearningRate {
        if step >= self.num_iters {
            return self.swa_lr;
        }
        let share = step as f64 / self.num_iters as f64;
        self.anneal_strategy.between(self.initial_lr, self.swa_lr, share)
    }
}

#[cfg(test)]
mod tests {
    use super::super::AnnealStrategy;
    use super::super::close::assert_rates;
    use super::SwaLrSchedulerConfig;

    #[test]
    fn swa_rate_is_annealed_and_stays() {
        let config = SwaLrSchedulerConfig::new(1.0, 0.2).with_num_iters(4);
        let half = 0.5_f64.sqrt();
        let expected = [1.0, 0.2 + 0.4 * (1.0 + half), 0.6, 0.2 + 0.4 * (1.0 - half), 0.2, 0.2];
        assert_rates(&config, &expected);
        let linear = config.with_anneal_strategy(AnnealStrategy::Linear);
        assert_rates(&linear, &[1.0, 0.8, 0.6, 0.4, 0.2, 0.2]);
        assert_rates(&linear.with_num_iters(0), &[0.2, 0.2]);
    }
}
