use super::LrScheduler;
use crate::LearningRate;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::tensor::Backend;
use burn_derive::{Record, fallible};

/// Direction of improvement: whether a metric is minimized or maximized.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum PlateauMode {
    /// The metric is to become small, as a loss.
    Min,
    /// The metric is to become large, as an accuracy.
    Max,
}

/// Threshold that a metric must exceed to count as an improvement.
#[derive(Config, Copy, Debug, PartialEq)]
pub enum PlateauThreshold {
    /// Relative to the best value so far.
    Relative(f64),
    /// Absolute difference to the best value so far.
    Absolute(f64),
}

/// Scheduler that multiplies the learning rate by `factor` when a metric stops improving. PyTorch:
/// `torch.optim.lr_scheduler.ReduceLROnPlateau`.
///
/// The metric, such as the validation loss of an epoch, is given to [`report`](LrScheduler::report); the
/// steps between two reports have the same learning rate. The learner of `burn-train` reports the mean
/// validation loss of each epoch, if `LossMetric` is one of its validation metrics.
///
/// ```
/// use burn::lr_scheduler::{LrScheduler, ReduceOnPlateauLrSchedulerConfig};
///
/// let mut scheduler = ReduceOnPlateauLrSchedulerConfig::new(1.0).with_patience(1).init();
/// let mut rates = Vec::new();
/// for validation_loss in [3.0, 2.0, 2.0, 2.0, 2.0] {
///     rates.push(scheduler.step());
///     scheduler.report(validation_loss);
/// }
/// assert_eq!(rates, [1.0, 1.0, 1.0, 1.0, 0.1]);
/// ```
#[doc(alias = "ReduceLROnPlateau")]
#[derive(Config, Debug)]
pub struct ReduceOnPlateauLrSchedulerConfig {
    /// Learning rate of the first step.
    pub initial_lr: LearningRate,
    /// Whether the metric is to become small or large.
    #[config(default = "PlateauMode::Min")]
    pub mode: PlateauMode,
    /// Factor of the learning rate, in `(0, 1)`.
    #[config(default = 0.1)]
    pub factor: f64,
    /// Number of reports without an improvement that change nothing; the next one reduces the learning rate.
    #[config(default = 10)]
    pub patience: usize,
    /// Smallest change that is an improvement.
    #[config(default = "PlateauThreshold::Relative(1e-4)")]
    pub threshold: PlateauThreshold,
    /// Number of reports after a reduction that are not counted.
    #[config(default = 0)]
    pub cooldown: usize,
    /// Smallest learning rate.
    #[config(default = 0.0)]
    pub min_lr: LearningRate,
    /// Smallest change of the learning rate; a smaller one is left out.
    #[config(default = 1e-8)]
    pub epsilon: f64,
}

/// See [`ReduceOnPlateauLrSchedulerConfig`].
#[derive(Clone, Debug)]
pub struct ReduceOnPlateauLrScheduler {
    config: ReduceOnPlateauLrSchedulerConfig,
    state: ReduceOnPlateauLrSchedulerRecord,
}

/// State of [`ReduceOnPlateauLrScheduler`].
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub struct ReduceOnPlateauLrSchedulerRecord {
    lr: LearningRate,
    best: Option<f64>,
    /// Reports without an improvement since the last improvement or reduction.
    bad_reports: usize,
    /// Reports that the cooldown still takes.
    cooldown_left: usize,
}

#[fallible(config)]
impl ReduceOnPlateauLrSchedulerConfig {
    /// Returns the scheduler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<ReduceOnPlateauLrScheduler, ConfigError> {
        let check = FieldCheck::of("ReduceOnPlateauLrSchedulerConfig");
        check.not_negative("initial_lr", self.initial_lr)?;
        let factor = self.factor;
        check.ensure(factor > 0.0 && factor < 1.0, "factor", &factor, "a number in (0, 1)")?;
        let (PlateauThreshold::Relative(threshold) | PlateauThreshold::Absolute(threshold)) = self.threshold;
        check.not_negative("threshold", threshold)?;
        check.not_negative("min_lr", self.min_lr)?;
        check.not_negative("epsilon", self.epsilon)?;
        let state = ReduceOnPlateauLrSchedulerRecord {
            lr: self.initial_lr,
            best: None,
            bad_reports: 0,
            cooldown_left: 0,
        };
        Ok(ReduceOnPlateauLrScheduler { config: self.clone(), state })
    }

    /// Returns whether `metric` is an improvement. NaN is none.
    fn improves(&self, metric: f64, best: Option<f64>) -> bool {
        let Some(best) = best else { return !metric.is_nan() };
        match (self.mode, self.threshold) {
            (PlateauMode::Min, PlateauThreshold::Relative(share)) => metric < best * (1.0 - share),
            (PlateauMode::Min, PlateauThreshold::Absolute(change)) => metric < best - change,
            (PlateauMode::Max, PlateauThreshold::Relative(share)) => metric > best * (1.0 + share),
            (PlateauMode::Max, PlateauThreshold::Absolute(change)) => metric > best + change,
        }
    }
}

impl LrScheduler for ReduceOnPlateauLrScheduler {
    type Record<B: Backend> = ReduceOnPlateauLrSchedulerRecord;

    fn step(&mut self) -> LearningRate {
        self.state.lr
    }

    fn needs_reports(&self) -> bool {
        true
    }

    fn report(&mut self, metric: f64) {
        let (config, state) = (&self.config, &mut self.state);
        if config.improves(metric, state.best) {
            (state.best, state.bad_reports) = (Some(metric), 0);
        } else {
            state.bad_reports += 1;
        }
        if state.cooldown_left > 0 {
            state.cooldown_left -= 1;
            state.bad_reports = 0;
        }
        if state.bad_reports > config.patience {
            let reduced = (state.lr * config.factor).max(config.min_lr);
            if state.lr - reduced > config.epsilon {
                state.lr = reduced;
            }
            (state.cooldown_left, state.bad_reports) = (config.cooldown, 0);
        }
    }

    fn to_record<B: Backend>(&self) -> ReduceOnPlateauLrSchedulerRecord {
        self.state
    }

    fn load_record<B: Backend>(mut self, record: ReduceOnPlateauLrSchedulerRecord) -> Self {
        self.state = record;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::LrScheduler;
    use super::{PlateauMode, PlateauThreshold, ReduceOnPlateauLrSchedulerConfig};
    use alloc::string::ToString;
    use burn_core::config::ConfigError;

    #[test]
    fn reduce_on_plateau_counts_nan_as_no_improvement() {
        let config = ReduceOnPlateauLrSchedulerConfig::new(1.0).with_patience(0).with_mode(PlateauMode::Max);
        let mut scheduler = config.with_factor(0.5).with_min_lr(0.3).init();
        let mut rates = [0.0; 4];
        for (rate, metric) in rates.iter_mut().zip([f64::NAN, 1.0, 2.0, f64::NAN]) {
            scheduler.report(metric);
            *rate = scheduler.step();
        }
        assert_eq!(rates, [0.5, 0.5, 0.5, 0.3]);
    }

    #[test]
    fn reduce_on_plateau_refuses_nonsense() {
        #[track_caller]
        fn refused(config: &ReduceOnPlateauLrSchedulerConfig, expected: &str, got: &str) {
            let error = config.try_init().unwrap_err();
            let ConfigError::Field { field, value, .. } = &error else { panic!("{error}") };
            assert_eq!((field.as_str(), value.as_str()), (expected, got));
            assert!(error.to_string().starts_with("ReduceOnPlateauLrSchedulerConfig: invalid `"), "{error}");
        }
        let config = ReduceOnPlateauLrSchedulerConfig::new(1.0);
        refused(&ReduceOnPlateauLrSchedulerConfig::new(f64::NAN), "initial_lr", "NaN");
        refused(&config.clone().with_factor(1.0), "factor", "1.0");
        refused(&config.clone().with_factor(0.0), "factor", "0.0");
        refused(&config.clone().with_threshold(PlateauThreshold::Absolute(-1.0)), "threshold", "-1.0");
        refused(&config.clone().with_min_lr(-1.0), "min_lr", "-1.0");
        refused(&config.with_epsilon(f64::INFINITY), "epsilon", "inf");
    }
}
