use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::Config;

/// From one rate to another on a line: `initial + (final - initial) min(t / num_iters, 1)`. PyTorch:
/// `torch.optim.lr_scheduler.LinearLR`.
#[derive(Config, Debug)]
pub struct LinearLrSchedulerConfig {
    /// The rate of the first step.
    pub initial_lr: LearningRate,
    /// The rate after `num_iters` steps, and from then on.
    pub final_lr: LearningRate,
    /// How many steps it takes.
    pub num_iters: usize,
}

/// See [`LinearLrSchedulerConfig`].
pub type LinearLrScheduler = ScheduledLr<LinearLrSchedulerConfig>;

impl LinearLrSchedulerConfig {
    /// The scheduler.
    pub fn init(&self) -> LinearLrScheduler {
        ScheduledLr::new(self.clone())
    }
}

impl Schedule for LinearLrSchedulerConfig {
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
