use super::{AnyScheduleConfig, Schedule, ScheduledLr};
use crate::LearningRate;
use alloc::vec::Vec;
use burn_core::config::Config;

/// One schedule after the other: the next one starts, at its step 0, at its milestone. PyTorch:
/// `torch.optim.lr_scheduler.SequentialLR`.
///
/// ```
/// use burn_optim::lr_scheduler::*;
///
/// // A warm-up of ten steps.
/// let warm_up = LinearLrSchedulerConfig::new(0.0, 1e-3, 10);
/// let cosine = CosineAnnealingLrSchedulerConfig::new(1e-3, 90);
/// let scheduler = SequentialLrSchedulerConfig::new(vec![warm_up.into(), cosine.into()], vec![10]).init();
/// # let _ = scheduler;
/// ```
#[derive(Config, Debug)]
pub struct SequentialLrSchedulerConfig {
    pub schedules: Vec<AnyScheduleConfig>,
    /// The first step of each schedule but the first one, in ascending order.
    pub milestones: Vec<usize>,
}

/// See [`SequentialLrSchedulerConfig`].
pub type SequentialLrScheduler = ScheduledLr<SequentialLrSchedulerConfig>;

impl SequentialLrSchedulerConfig {
    /// The scheduler.
    ///
    /// # Panics
    /// There are not as many milestones as schedules after the first one, or they are not in order.
    #[track_caller]
    pub fn init(&self) -> SequentialLrScheduler {
        let (schedules, milestones) = (self.schedules.len(), self.milestones.len());
        assert!(schedules == milestones + 1, "{schedules} schedules do not have {milestones} milestones");
        assert!(self.milestones.is_sorted(), "the milestones {:?} are not in order", self.milestones);
        ScheduledLr::new(self.clone())
    }
}

impl Schedule for SequentialLrSchedulerConfig {
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
    #[should_panic(expected = "1 schedules do not have 1 milestones")]
    fn sequential_without_a_schedule_for_each_part_panics() {
        SequentialLrSchedulerConfig::new([ConstantLrConfig::new(0.1).into()].into(), [3].into()).init();
    }
}
