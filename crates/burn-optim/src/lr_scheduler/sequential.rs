use super::any_schedule::check_parts;
use super::{AnyScheduleConfig, Schedule, ScheduledLr};
use crate::LearningRate;
use alloc::format;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Scheduler that runs one schedule after the other: each starts, at its step 0, at its milestone. PyTorch:
/// `torch.optim.lr_scheduler.SequentialLR`.
///
/// ```
/// use burn::lr_scheduler::*;
///
/// // A warm-up of ten steps.
/// let warm_up = LinearLrSchedulerConfig::new(0.0, 1e-3, 10);
/// let cosine = CosineAnnealingLrSchedulerConfig::new(1e-3, 90);
/// let scheduler = SequentialLrSchedulerConfig::new(vec![warm_up.into(), cosine.into()], vec![10]).init();
/// # let _ = scheduler;
/// ```
#[doc(alias = "SequentialLR")]
#[derive(Config, Debug)]
pub struct SequentialLrSchedulerConfig {
    /// Schedules in the order in which they are used; at least one.
    pub schedules: Vec<AnyScheduleConfig>,
    /// Milestones: the first step of each schedule but the first one, in ascending order.
    pub milestones: Vec<usize>,
}

/// See [`SequentialLrSchedulerConfig`].
pub type SequentialLrScheduler = ScheduledLr<SequentialLrSchedulerConfig>;

#[fallible(config)]
impl SequentialLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<SequentialLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for SequentialLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("SequentialLrSchedulerConfig");
        let expected = format!("{} in ascending order", self.schedules.len().saturating_sub(1));
        check.ensure(!self.schedules.is_empty(), "schedules", &self.schedules, "at least one")?;
        let fits = self.schedules.len() == self.milestones.len() + 1 && self.milestones.is_sorted();
        check.ensure(fits, "milestones", &self.milestones, &expected)?;
        check_parts(check, &self.schedules)
    }
    fn rate(&self, step: usize) -> LearningRate {
        let passed = self.milestones.iter().filter(|&&milestone| milestone <= step).count();
        let start = passed.checked_sub(1).map_or(0, |last| self.milestones[last]);
        self.schedules[passed].rate(step - start)
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::super::{ConstantLrConfig, LinearLrSchedulerConfig};
    use super::SequentialLrSchedulerConfig;

    #[test]
    fn sequential_schedules_start_at_their_milestones() {
        let up = LinearLrSchedulerConfig::new(0.0, 1.0, 2);
        let down = LinearLrSchedulerConfig::new(1.0, 0.0, 4);
        let stay = ConstantLrConfig::new(0.1);
        let schedules = [up.into(), down.into(), stay.into()].into();
        let config = SequentialLrSchedulerConfig::new(schedules, [2, 5].into());
        assert_rates(&config, &[0.0, 0.5, 1.0, 0.75, 0.5, 0.1, 0.1]);
    }

    #[test]
    #[should_panic(
        expected = "SequentialLrSchedulerConfig: invalid `milestones`; expected 0 in ascending order, got [3]"
    )]
    fn sequential_without_a_schedule_for_each_part_panics() {
        let _ =
            SequentialLrSchedulerConfig::new([ConstantLrConfig::new(0.1).into()].into(), [3].into()).init();
    }
}
