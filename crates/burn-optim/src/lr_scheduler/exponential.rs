use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::Config;

/// Smaller by a factor at each step: `initial gamma^t`. PyTorch: `torch.optim.lr_scheduler.ExponentialLR`.
#[derive(Config, Debug)]
pub struct ExponentialLrSchedulerConfig {
    /// The rate of the first step.
    pub initial_lr: LearningRate,
    /// The factor.
    pub gamma: f64,
}

/// See [`ExponentialLrSchedulerConfig`].
pub type ExponentialLrScheduler = ScheduledLr<ExponentialLrSchedulerConfig>;

impl ExponentialLrSchedulerConfig {
    /// The scheduler.
    pub fn init(&self) -> ExponentialLrScheduler {
        ScheduledLr::new(self.clone())
    }
}

impl Schedule for ExponentialLrSchedulerConfig {
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
