use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Noam schedule: linear warm-up for `warmup_steps`, then decay as `1 / sqrt(t)` (Vaswani et al. 2017): with
/// `t` from 1, `factor model_size^-0.5 min(t^-0.5, t warmup_steps^-1.5)`.
#[derive(Config, Debug)]
pub struct NoamLrSchedulerConfig {
    /// Factor of every learning rate; positive.
    pub factor: f64,
    /// Number of warm-up steps; at least 1.
    #[config(default = 4000)]
    pub warmup_steps: usize,
    /// Embedding dimension of the model; at least 1.
    #[config(default = 512)]
    pub model_size: usize,
}

/// See [`NoamLrSchedulerConfig`].
pub type NoamLrScheduler = ScheduledLr<NoamLrSchedulerConfig>;

#[fallible(config)]
impl NoamLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<NoamLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for NoamLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("NoamLrSchedulerConfig");
        check.positive("factor", self.factor)?;
        check.at_least("warmup_steps", self.warmup_steps, 1)?;
        check.at_least("model_size", self.model_size, 1)
    }
    fn rate(&self, step: usize) -> LearningRate {
        let (t, warmup) = ((step + 1) as f64, self.warmup_steps.max(1) as f64);
        let shape = (1.0 / libm::sqrt(t)).min(t / (warmup * libm::sqrt(warmup)));
        self.factor / libm::sqrt(self.model_size as f64) * shape
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::NoamLrSchedulerConfig;

    #[test]
    fn noam_rate_is_highest_at_the_end_of_the_warmup() {
        let config = NoamLrSchedulerConfig::new(2.0).with_warmup_steps(4).with_model_size(16);
        let down = 0.5 / 5_f64.sqrt();
        assert_rates(&config, &[0.0625, 0.125, 0.1875, 0.25, down]);
    }
}
