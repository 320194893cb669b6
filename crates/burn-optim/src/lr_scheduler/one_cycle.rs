use super::{AnnealStrategy, Schedule, ScheduledLr};
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// One-cycle policy (Smith and Topin 2017): from `max_lr / div_factor` to `max_lr` in the first `pct_start`
/// of the steps, and to `max_lr / div_factor / final_div_factor` in the others. PyTorch:
/// `torch.optim.lr_scheduler.OneCycleLR`.
#[doc(alias = "OneCycleLR")]
#[derive(Config, Debug)]
pub struct OneCycleLrSchedulerConfig {
    /// Highest learning rate.
    pub max_lr: LearningRate,
    /// Number of steps of the whole schedule; at least 1.
    pub num_iters: usize,
    /// Share of the steps in which the learning rate grows, in `[0, 1]`.
    #[config(default = 0.3)]
    pub pct_start: f64,
    /// Highest learning rate divided by the first one; positive.
    #[config(default = 25.0)]
    pub div_factor: f64,
    /// First learning rate divided by the last one; positive.
    #[config(default = 1e4)]
    pub final_div_factor: f64,
    /// Curve of each phase.
    #[config(default = "AnnealStrategy::Cosine")]
    pub anneal_strategy: AnnealStrategy,
    /// Whether the learning rate returns to the first one in as many steps as it grew, before it goes to the
    /// last one; `pct_start` is at most 0.5 then.
    #[config(default = false)]
    pub three_phase: bool,
}

/// See [`OneCycleLrSchedulerConfig`].
pub type OneCycleLrScheduler = ScheduledLr<OneCycleLrSchedulerConfig>;

#[fallible(config)]
impl OneCycleLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OneCycleLrScheduler, ConfigError> {
        ScheduledLr::try_new(self.clone())
    }
}

impl Schedule for OneCycleLrSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("OneCycleLrSchedulerConfig");
        check.not_negative("max_lr", self.max_lr)?;
        check.at_least("num_iters", self.num_iters, 1)?;
        check.probability("pct_start", self.pct_start)?;
        let fits = !self.three_phase || self.pct_start <= 0.5;
        check.ensure(fits, "pct_start", &self.pct_start, "a number in [0, 0.5] with `three_phase`")?;
        check.positive("div_factor", self.div_factor)?;
        check.positive("final_div_factor", self.final_div_factor)
    }
    fn rate(&self, step: usize) -> LearningRate {
        let (step, last) = (step as f64, self.num_iters.saturating_sub(1) as f64);
        let first_lr = self.max_lr / self.div_factor;
        let last_lr = first_lr / self.final_div_factor;
        let top = self.pct_start * self.num_iters as f64 - 1.0;
        if step <= top {
            return self.between(first_lr, self.max_lr, step / top);
        }
        if !self.three_phase {
            return self.between(self.max_lr, last_lr, (step - top) / (last - top));
        }
        let back = 2.0 * top;
        if step <= back {
            return self.between(self.max_lr, first_lr, (step - top) / top);
        }
        self.between(first_lr, last_lr, (step - back) / (last - back))
    }
}

impl OneCycleLrSchedulerConfig {
    fn between(&self, from: f64, to: f64, share: f64) -> f64 {
        // A phase without steps has no fraction; after the last step its learning rate stays.
        let share = if share.is_finite() { share.min(1.0) } else { 1.0 };
        self.anneal_strategy.between(from, to, share)
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_rates;
    use super::OneCycleLrSchedulerConfig;

    #[test]
    fn one_cycle_goes_up_and_down() {
        let config = OneCycleLrSchedulerConfig::new(1.0, 10)
            .with_pct_start(0.5)
            .with_div_factor(10.0)
            .with_final_div_factor(10.0);
        // torch 2.11.0: OneCycleLR(max_lr=1, total_steps=10, pct_start=0.5, div_factor=10,
        // final_div_factor=10).
        let up = [0.1, 0.231_801_948_466_053_62, 0.55, 0.868_198_051_533_946_4, 1.0];
        let down = [
            0.905_463_412_215_599,
            0.657_963_412_215_599,
            0.352_036_587_784_401,
            0.104_536_587_784_401,
            0.01,
        ];
        assert_rates(&config, &[up, down].concat());
        assert_rates(&config.with_num_iters(1), &[0.01, 0.01]);
    }
}
