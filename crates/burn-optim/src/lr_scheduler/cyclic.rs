use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Amplitude policy of [`CyclicLrSchedulerConfig`].
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum CyclicMode {
    /// Every cycle has the same amplitude.
    Triangular,
    /// Every cycle has half the amplitude of the one before.
    Triangular2,
    /// The amplitude is multiplied by `gamma` at each step.
    ExpRange,
}

/// Cyclic learning rate: linear from `base_lr` to `max_lr` and back, again and again (Smith 2015). PyTorch:
/// `torch.optim.lr_scheduler.CyclicLR`.
#[doc(alias = "CyclicLR")]
#[derive(Config, Debug)]
pub struct CyclicLrSchedulerConfig {
    /// Learning rate at the start of each cycle.
    pub base_lr: LearningRate,
    /// Learning rate at the top of the first cycle.
    pub max_lr: LearningRate,
    /// Number of steps from `base_lr` to `max_lr`; at least 1.
    #[config(default = 2000)]
    pub step_size_up: usize,
    /// Number of steps back to `base_lr`, at least 1; that of `step_size_up` if `None`.
    #[config(default = "None")]
    pub step_size_down: Option<usize>,
    /// Amplitude policy.
    #[config(default = "CyclicMode::Triangular")]
    pub mode: CyclicMode,
    /// Factor of the amplitude at each step in the mode `ExpRange`, in `(0, 1]`.
    #[config(default = 1.0)]
    pub gamma: f64,
}

/// See [`CyclicLrSchedulerConfig`].
pub type CyclicLrScheduler = ScheduledLr<CyclicLrSchedulerConfig>;

#[fallible(config)]
impl CyclicLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<CyclicLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for CyclicLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("CyclicLrSchedulerConfig");
        check.not_negative("base_lr", self.base_lr)?;
        check.not_negative("max_lr", self.max_lr)?;
        check.at_least("step_size_up", self.step_size_up, 1)?;
        if let Some(down) = self.step_size_down {
            check.at_least("step_size_down", down, 1)?;
        }
        check.ensure(self.gamma > 0.0 && self.gamma <= 1.0, "gamma", &self.gamma, "a number in (0, 1]")
    }
    fn rate(&self, step: usize) -> LearningRate {
        let up = self.step_size_up.max(1);
        let down = self.step_size_down.unwrap_or(up).max(1);
        let (cycle, position) = (step / (up + down), step % (up + down));
        let height = if position <= up {
            position as f64 / up as f64
        } else {
            (up + down - position) as f64 / down as f64
        };
        let amplitude = match self.mode {
            CyclicMode::Triangular => 1.0,
            CyclicMode::Triangular2 => libm::pow(0.5, cycle as f64),
            CyclicMode::ExpRange => libm::pow(self.gamma, step as f64),
        };
        self.base_lr + (self.max_lr - self.base_lr) * height * amplitude
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::{CyclicLrSchedulerConfig, CyclicMode};

    #[test]
    fn cyclic_rate_goes_up_and_down_again_and_again() {
        let config = CyclicLrSchedulerConfig::new(1.0, 3.0).with_step_size_up(1).with_step_size_down(Some(2));
        assert_rates(&config, &[1.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0]);
        let halved = config.clone().with_mode(CyclicMode::Triangular2);
        assert_rates(&halved, &[1.0, 3.0, 2.0, 1.0, 2.0, 1.5, 1.0, 1.5]);
        let decayed = config.with_mode(CyclicMode::ExpRange).with_gamma(0.5);
        assert_rates(&decayed, &[1.0, 2.0, 1.25, 1.0, 1.125]);
    }
}
