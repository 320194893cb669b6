use super::{AnyScheduleConfig, Schedule, ScheduledLr};
use crate::LearningRate;
use alloc::vec::Vec;
use burn_core::config::Config;

/// How the rates of several schedules become one.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum LrReduction {
    Mean,
    Sum,
    Prod,
}

/// Several schedules at once: the mean, the sum or the product of their rates. PyTorch:
/// `torch.optim.lr_scheduler.ChainedScheduler` multiplies.
#[derive(Config, Debug)]
pub struct ComposedLrSchedulerConfig {
    pub schedules: Vec<AnyScheduleConfig>,
    #[config(default = "LrReduction::Prod")]
    pub reduction: LrReduction,
}

/// See [`ComposedLrSchedulerConfig`].
pub type ComposedLrScheduler = ScheduledLr<ComposedLrSchedulerConfig>;

impl ComposedLrSchedulerConfig {
    /// The scheduler.
    ///
    /// # Panics
    /// There is no schedule.
    #[track_caller]
    pub fn init(&self) -> ComposedLrScheduler {
        assert!(!self.schedules.is_empty(), "a composed schedule has at least one part");
        ScheduledLr::new(self.clone())
    }
}

impl Schedule for ComposedLrSchedulerConfig {
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
