use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Constant learning rate.
#[derive(Config, Debug)]
pub struct ConstantLrConfig {
    /// Learning rate of every step.
    pub lr: LearningRate,
}

/// Constant learning rate. An `f64` is one too. PyTorch: an optimizer without a scheduler.
pub type ConstantLr = ScheduledLr<ConstantLrConfig>;

#[fallible(config)]
impl ConstantLrConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<ConstantLr, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl From<LearningRate> for ConstantLr {
    fn from(lr: LearningRate) -> Self {
        ScheduledLr { schedule: ConstantLrConfig::new(lr), step: 0 }
    }
}

impl Schedule for ConstantLrConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("ConstantLrConfig");
        check.not_negative("lr", self.lr)
    }
    fn rate(&self, _step: usize) -> LearningRate {
        self.lr
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::ConstantLrConfig;

    #[test]
    fn constant_rate_stays() {
        assert_rates(&ConstantLrConfig::new(0.1), &[0.1; 3]);
    }
}
