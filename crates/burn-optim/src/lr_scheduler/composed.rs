use super::any_schedule::check_parts;
use super::{AnyScheduleConfig, Schedule, ScheduledLr};
use crate::LearningRate;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Reduction of the learning rates of several schedules to one.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum LrReduction {
    Mean,
    Sum,
    Prod,
}

/// Scheduler that combines several schedules: the mean, the sum or the product of their learning rates.
/// PyTorch: `torch.optim.lr_scheduler.ChainedScheduler` multiplies.
#[doc(alias = "ChainedScheduler")]
#[derive(Config, Debug)]
pub struct ComposedLrSchedulerConfig {
    /// Schedules that are used at once; at least one.
    pub schedules: Vec<AnyScheduleConfig>,
    /// Reduction of their learning rates to one.
    #[config(default = "LrReduction::Prod")]
    pub reduction: LrReduction,
}

/// See [`ComposedLrSchedulerConfig`].
pub type ComposedLrScheduler = ScheduledLr<ComposedLrSchedulerConfig>;

#[fallible(config)]
impl ComposedLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<ComposedLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for ComposedLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("ComposedLrSchedulerConfig");
        check.ensure(!self.schedules.is_empty(), "schedules", &self.schedules, "at least one")?;
        check_parts(check, &self.schedules)
    }
    fn rate(&self, step: usize) -> LearningRate {
        let rates = self.schedules.iter().map(|schedule| schedule.rate(step));
        match self.reduction {
            LrReduction::Mean => rates.sum::<f64>() / self.schedules.len() as f64,
            LrReduction::Sum => rates.sum(),
            LrReduction::Prod => rates.product(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::super::{ConstantLrConfig, ExponentialLrSchedulerConfig};
    use super::{ComposedLrSchedulerConfig, LrReduction};

    #[test]
    fn composed_rates_are_reduced() {
        let parts = [ConstantLrConfig::new(0.5).into(), ExponentialLrSchedulerConfig::new(1.0, 0.5).into()];
        let config = ComposedLrSchedulerConfig::new(parts.into());
        assert_rates(&config, &[0.5, 0.25, 0.125]);
        assert_rates(&config.clone().with_reduction(LrReduction::Sum), &[1.5, 1.0, 0.75]);
        assert_rates(&config.with_reduction(LrReduction::Mean), &[0.75, 0.5, 0.375]);
    }
}
