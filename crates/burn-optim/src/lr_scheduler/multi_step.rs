use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use alloc::vec::Vec;
use burn_core::config::Config;

/// Smaller by a factor at each milestone: `initial gamma^n`, where `n` milestones are not after step `t`. PyTorch:
/// `torch.optim.lr_scheduler.MultiStepLR`.
#[derive(Config, Debug)]
pub struct MultiStepLrSchedulerConfig {
    /// The rate of the first step.
    pub initial_lr: LearningRate,
    /// The steps at which the rate shrinks.
    pub milestones: Vec<usize>,
    /// The factor.
    #[config(default = 0.1)]
    pub gamma: f64,
}

/// See [`MultiStepLrSchedulerConfig`].
pub type MultiStepLrScheduler = ScheduledLr<MultiStepLrSchedulerConfig>;

impl MultiStepLrSchedulerConfig {
    /// The scheduler.
    pub fn init(&self) -> MultiStepLrScheduler {
        ScheduledLr::new(self.clone())
    }
}

impl Schedule for MultiStepLrSchedulerConfig {
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
