use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::Config;

/// Smaller by a factor every `step_size` steps: `initial gamma^floor(t / step_size)`. PyTorch:
/// `torch.optim.lr_scheduler.StepLR`.
#[derive(Config, Debug)]
pub struct StepLrSchedulerConfig {
    /// The rate of the first step.
    pub initial_lr: LearningRate,
    /// How many steps have one rate.
    pub step_size: usize,
    /// The factor.
    #[config(default = 0.1)]
    pub gamma: f64,
}

/// See [`StepLrSchedulerConfig`].
pub type StepLrScheduler = ScheduledLr<StepLrSchedulerConfig>;

impl StepLrSchedulerConfig {
    /// The scheduler.
    pub fn init(&self) -> StepLrScheduler {
        ScheduledLr::new(self.clone())
    }
}

impl Schedule for StepLrSchedulerConfig {
    fn rate(&self, step: usize) -> LearningRate {
        self.initial_lr * libm::pow(self.gamma, (step / self.step_size.max(1)) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::StepLrSchedulerConfig;

    #[test]
    fn step_rate_shrinks_now_and_then() {
        assert_rates(&StepLrSchedulerConfig::new(1.0, 2), &[1.0, 1.0, 0.1, 0.1, 0.01]);
    }
}
