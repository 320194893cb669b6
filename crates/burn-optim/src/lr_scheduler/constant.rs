use super::{Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::Config;

/// One rate for all steps.
#[derive(Config, Debug)]
pub struct ConstantLrConfig {
    pub lr: LearningRate,
}

/// One rate for all steps. An `f64` is one too.
pub type ConstantLr = ScheduledLr<ConstantLrConfig>;

impl ConstantLrConfig {
    /// The scheduler.
    pub fn init(&self) -> ConstantLr {
        ScheduledLr::new(self.clone())
    }
}

impl From<LearningRate> for ConstantLr {
    fn from(lr: LearningRate) -> Self {
        ConstantLrConfig::new(lr).init()
    }
}

impl Schedule for ConstantLrConfig {
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
