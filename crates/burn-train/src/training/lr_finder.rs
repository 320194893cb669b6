use super::learner::Learner;
use super::step::TrainStep;
use crate::metric::{Adaptor, LossInput};
use crate::{Split, TrainError, TrainOutput};
use burn_core::module::AutodiffModule;
use burn_core::tensor::AutodiffBackend;
use burn_dataset::dataloader::DataLoader;
use burn_optim::Optimizer;
use std::fmt;
use std::sync::Arc;

/// Options of [`Learner::find_lr`].
#[derive(Clone, Debug, PartialEq)]
pub struct LrFinderConfig {
    /// Learning rate of the first step; positive.
    pub lowest: f64,
    /// Learning rate of the last step; above `lowest`.
    pub highest: f64,
    /// Number of steps; at least 2.
    pub steps: usize,
    /// Weight of the past in the exponential mean of the losses, in `[0, 1)`.
    pub smoothing: f64,
    /// The search ends when the smoothed loss is this many times the lowest one.
    pub divergence: f64,
}

impl Default for LrFinderConfig {
    /// A hundred steps from 1e-7 to 10.
    fn default() -> Self {
        Self { lowest: 1e-7, highest: 10.0, steps: 100, smoothing: 0.9, divergence: 4.0 }
    }
}

impl LrFinderConfig {
    fn check(&self) -> Result<(), TrainError> {
        let problem = if !(self.lowest > 0.0 && self.lowest < self.highest && self.highest.is_finite()) {
            format!("expected 0 < lowest < highest, got {} and {}", self.lowest, self.highest)
        } else if self.steps < 2 {
            format!("expected 2 steps at least, got {}", self.steps)
        } else if !(0.0..1.0).contains(&self.smoothing) {
            format!("expected a smoothing in [0, 1), got {}", self.smoothing)
        } else {
            return Ok(());
        };
        Err(TrainError::Unsupported(format!("learning-rate finder: {problem}")))
    }

    /// Returns the learning rate of a step, from 0: steps are equally far on a logarithmic scale.
    fn lr(&self, step: usize) -> f64 {
        let share = step as f64 / (self.steps - 1) as f64;
        self.lowest * (self.highest / self.lowest).powf(share)
    }
}

/// Losses by learning rate, found by [`Learner::find_lr`]; a table with [`Display`](fmt::Display).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LrFinderReport {
    /// Learning rate and smoothed loss of every step.
    pub losses: Vec<(f64, f64)>,
}

impl LrFinderReport {
    /// Returns the learning rate at which the smoothed loss falls most steeply with the logarithm of the
    /// rate, or none where it never falls. The first tenth of the steps, in which the mean is one of few
    /// batches, is not looked at, and the slope is that of the line through a tenth of the steps (least
    /// squares): from one step to the next, batches differ more than rates do.
    pub fn suggestion(&self) -> Option<f64> {
        let tenth = self.losses.len() / 10;
        let falls =
            self.losses[tenth..].windows(2 + tenth).map(|steps| (steps[steps.len() / 2].0, slope(steps)));
        let steepest = falls.filter(|(_, slope)| *slope < 0.0).min_by(|a, b| a.1.total_cmp(&b.1));
        steepest.map(|(lr, _)| lr)
    }
}

/// The slope of the line through losses over the logarithms of their rates that has the least squares.
fn slope(steps: &[(f64, f64)]) -> f64 {
    let count = steps.len() as f64;
    let rate = steps.iter().map(|(lr, _)| lr.ln()).sum::<f64>() / count;
    let loss = steps.iter().map(|(_, loss)| loss).sum::<f64>() / count;
    let products = |of: fn(f64, f64) -> f64| {
        steps.iter().map(|(lr, value)| of(lr.ln() - rate, value - loss)).sum::<f64>()
    };
    products(|x, y| x * y) / products(|x, _| x * x)
}

impl fmt::Display for LrFinderReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>10}  {:>10}", "rate", "loss")?;
        self.losses.iter().try_for_each(|(lr, loss)| writeln!(f, "{lr:>10.2e}  {loss:>10.4}"))?;
        match self.suggestion() {
            Some(lr) => writeln!(f, "suggestion: {lr:.2e}"),
            None => writeln!(f, "suggestion: none, the loss never falls"),
        }
    }
}

impl<B, T, V, M, O, S> Learner<B, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
    O: Optimizer<M, B>,
{
    /// Looks for a learning rate by a short training whose rate grows with every step (Smith 2017).
    ///
    /// It trains clones of the model and the optimizer, and leaves the learner as it is. Batches are those of
    /// the first epochs of the loader.
    ///
    /// # Errors
    /// If an option is out of its range, or a batch cannot be made or there is none.
    pub fn find_lr<I>(
        &self,
        train: &Arc<dyn DataLoader<I>>,
        config: &LrFinderConfig,
    ) -> Result<LrFinderReport, TrainError>
    where
        M: TrainStep<I, T>,
        T: Adaptor<LossInput<B>>,
    {
        config.check()?;
        let (mut model, mut optim) = (self.parts.model.clone(), self.parts.optim.clone());
        if let Some(device) = self.devices.first() {
            model = model.fork(device);
        }
        let mut curve = LossCurve::new(config);
        for epoch in 1.. {
            let mut batches = train.iter_epoch(epoch);
            let failed = |source| TrainError::Data { split: Split::Train, epoch, source };
            let before = curve.report.losses.len();
            while let Some(batch) = batches.try_next().map_err(failed)? {
                let TrainOutput { grads, item } = TrainStep::step(&model, batch);
                let LossInput::<B> { tensor, .. } = item.adapt();
                let losses = tensor.into_data().to_f64();
                drop(item);
                let Some(lr) = curve.add(losses.iter().sum::<f64>() / losses.len() as f64) else {
                    return Ok(curve.report);
                };
                model = optim.step(lr, model, grads);
            }
            if curve.report.losses.len() == before {
                return Err(TrainError::NoBatches { split: Split::Train, epoch });
            }
        }
        Ok(curve.report)
    }
}

/// The losses so far, and when they have gone far enough.
struct LossCurve<'a> {
    config: &'a LrFinderConfig,
    report: LrFinderReport,
    mean: f64,
    lowest: f64,
}

impl<'a> LossCurve<'a> {
    fn new(config: &'a LrFinderConfig) -> Self {
        Self { config, report: LrFinderReport::default(), mean: 0.0, lowest: f64::INFINITY }
    }

    /// Adds the loss before a step, and returns the rate of the step, unless it was the last.
    fn add(&mut self, loss: f64) -> Option<f64> {
        let LrFinderConfig { smoothing, divergence, steps, .. } = *self.config;
        let step = self.report.losses.len();
        self.mean = smoothing * self.mean + (1.0 - smoothing) * loss;
        // The mean began with zero: this takes its share out.
        let smoothed = self.mean / (1.0 - smoothing.powi(step as i32 + 1));
        if !smoothed.is_finite() {
            return None;
        }
        self.report.losses.push((self.config.lr(step), smoothed));
        self.lowest = self.lowest.min(smoothed);
        // A loss may be negative, where several times the lowest is lower still.
        let has_diverged = self.lowest > 0.0 && smoothed > divergence * self.lowest;
        (step + 1 < steps && !has_diverged).then(|| self.config.lr(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suggestion_is_where_the_loss_falls_most() {
        let losses = [(1e-4, 1.0), (1e-3, 0.9), (1e-2, 0.3), (1e-1, 0.25), (1.0, 2.0)].to_vec();
        let report = LrFinderReport { losses };
        assert_eq!(report.suggestion(), Some(1e-2));
        assert!(report.to_string().ends_with("suggestion: 1.00e-2\n"));
        // Losses that fall by two between 1 and 10, steepest in the middle; before, one batch is much worse
        // than the next.
        let fall = |at: f64| 3.0 - 2.0 / (1.0 + (-8.0 * (at - 0.5)).exp());
        let at = |step: i32| f64::from(step) / 50.0 - 1.0;
        let loss = |step: i32| fall(at(step)) + if step == 20 { 0.3 } else { 0.0 };
        let losses = (0..100).map(|step| (10_f64.powf(at(step)), loss(step))).collect();
        let found = LrFinderReport { losses }.suggestion().unwrap();
        assert!((found / 10_f64.sqrt()).ln().abs() < 0.15, "{found}");
        let rising = LrFinderReport { losses: vec![(0.1, 1.0), (0.2, 2.0)] };
        assert_eq!(rising.suggestion(), None);
    }

    #[test]
    fn a_loss_that_diverges_ends_the_search() {
        let config = LrFinderConfig { smoothing: 0.0, ..Default::default() };
        let mut curve = LossCurve::new(&config);
        assert_eq!(curve.add(1.0), Some(1e-7));
        assert!(curve.add(3.9).is_some());
        assert_eq!(curve.add(4.1), None);
        assert_eq!(curve.add(f64::NAN), None);
        assert_eq!(curve.report.losses.len(), 3);
    }

    #[test]
    fn rates_grow_by_a_factor() {
        let config = LrFinderConfig { lowest: 1e-3, highest: 1e3, steps: 7, ..Default::default() };
        for step in 0..7 {
            assert!((config.lr(step) / 10_f64.powi(step as i32 - 3) - 1.0).abs() < 1e-12);
        }
        assert!(LrFinderConfig { steps: 1, ..config }.check().is_err());
    }
}
