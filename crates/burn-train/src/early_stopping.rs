use crate::Split;
use crate::history::{Aggregate, Direction, MetricHistory, TrackedMetric};

/// Says when a run ends before its last epoch.
///
/// It looks at the metrics of the epochs alone, which checkpoints keep: a run that is resumed ends where the
/// first run would have ended.
pub trait EarlyStoppingStrategy: Send {
    /// Returns whether the run ends after `epoch`.
    fn should_stop(&self, epoch: usize, history: &MetricHistory) -> bool;

    /// Returns the metric by which epochs are compared, if there is one: the run has to have it, and its end
    /// names the best epoch.
    fn metric(&self) -> Option<TrackedMetric> {
        None
    }

    /// Returns whether the run returns the model of the best epoch by [`metric`](Self::metric), and not that
    /// of the last one.
    fn restores_best(&self) -> bool {
        false
    }
}

/// Ends a run when a numeric metric has not become better for a number of epochs.
///
/// ```
/// use burn::train::history::{Aggregate, Direction, MetricHistory};
/// use burn::train::{EarlyStopping, EarlyStoppingStrategy, Split};
///
/// let stopping = EarlyStopping::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid, 2);
/// let mut history = MetricHistory::default();
/// let mut stopped = Vec::new();
/// for (epoch, loss) in [(1, 0.5), (2, 0.3), (3, 0.4), (4, 0.35)] {
///     history.record(Split::Valid, epoch, "Loss", loss, "");
///     stopped.push(stopping.should_stop(epoch, &history));
/// }
/// assert_eq!(stopped, [false, false, false, true]);
/// ```
#[derive(Clone, Debug)]
pub struct EarlyStopping {
    metric: TrackedMetric,
    patience: usize,
    warm_up: usize,
    min_delta: f64,
    restores_best: bool,
}

impl EarlyStopping {
    /// Ends a run after `patience` epochs without a better value of the metric called `name`.
    ///
    /// # Panics
    /// If `patience` is zero.
    #[track_caller]
    pub fn new(
        name: impl Into<String>,
        aggregate: Aggregate,
        direction: Direction,
        split: Split,
        patience: usize,
    ) -> Self {
        assert!(patience > 0, "early stopping: expected a patience of one epoch at least, got 0");
        let metric = TrackedMetric::new(name, aggregate, direction, split);
        Self { metric, patience, warm_up: 0, min_delta: 0.0, restores_best: false }
    }

    /// Does not count the epochs up to `epochs`: the patience begins after them.
    pub fn with_warm_up(mut self, epochs: usize) -> Self {
        self.warm_up = epochs;
        self
    }

    /// Takes a value for better only if it is better by more than `min_delta`.
    ///
    /// # Panics
    /// If `min_delta` is negative or NaN.
    #[track_caller]
    pub fn with_min_delta(mut self, min_delta: f64) -> Self {
        assert!(min_delta >= 0.0, "early stopping: expected a difference of 0 or more, got {min_delta}");
        self.min_delta = min_delta;
        self
    }

    /// Lets the run return the model of the best epoch, and not that of the last one.
    ///
    /// So does a run that trains all of its epochs; one that is [asked to stop](crate::renderer::Interrupter)
    /// returns the model as it is. The model is kept in memory, and its checkpoint whatever the
    /// [strategy](crate::LearnerBuilder::with_checkpointing_strategy), so that a run that is resumed returns
    /// it too. Keras: `EarlyStopping(restore_best_weights=True)`.
    pub fn with_restore_best(mut self, restore_best: bool) -> Self {
        self.restores_best = restore_best;
        self
    }

    /// Returns whether `value` is better than `best`.
    fn is_better(&self, value: f64, best: f64) -> bool {
        let worse = match self.metric.direction {
            Direction::Lowest => value + self.min_delta,
            Direction::Highest => value - self.min_delta,
        };
        self.metric.direction.is_better(worse, best)
    }
}

impl EarlyStoppingStrategy for EarlyStopping {
    fn should_stop(&self, epoch: usize, history: &MetricHistory) -> bool {
        let (mut best, mut best_epoch) = (f64::NAN, 0);
        for earlier in 1..=epoch {
            let Some(value) = self.metric.value(history, earlier) else { continue };
            if self.is_better(value, best) {
                (best, best_epoch) = (value, earlier);
            }
        }
        // Without the metric there is nothing to wait for.
        let has_metric = self.metric.value(history, epoch).is_some();
        has_metric && epoch >= best_epoch.max(self.warm_up) + self.patience
    }

    fn metric(&self) -> Option<TrackedMetric> {
        Some(self.metric.clone())
    }

    fn restores_best(&self) -> bool {
        self.restores_best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops_after(stopping: &EarlyStopping, values: &[f64]) -> Option<usize> {
        let mut history = MetricHistory::default();
        (1..).zip(values).find_map(|(epoch, &value)| {
            history.record(stopping.metric.split, epoch, &stopping.metric.name, value, "");
            stopping.should_stop(epoch, &history).then_some(epoch)
        })
    }

    fn lowest(patience: usize) -> EarlyStopping {
        EarlyStopping::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid, patience)
    }

    #[test]
    fn patience_begins_anew_with_every_better_value() {
        assert_eq!(stops_after(&lowest(2), &[5.0, 6.0, 4.0, 4.0, 4.0]), Some(5));
        assert_eq!(stops_after(&lowest(1), &[5.0, 5.0]), Some(2));
        assert_eq!(stops_after(&lowest(3), &[5.0, 6.0, 4.0, 4.0, 4.0]), None);
        let highest = EarlyStopping::new("Loss", Aggregate::Mean, Direction::Highest, Split::Valid, 1);
        assert_eq!(stops_after(&highest, &[1.0, 2.0, 3.0, 2.9]), Some(4));
    }

    #[test]
    fn warm_up_delays_the_patience() {
        assert_eq!(stops_after(&lowest(2).with_warm_up(3), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Some(5));
    }

    #[test]
    fn a_small_gain_is_none() {
        let values = [1.0, 0.95, 0.91, 0.5, 0.49];
        assert_eq!(stops_after(&lowest(2).with_min_delta(0.2), &values), Some(3));
        assert_eq!(stops_after(&lowest(2), &values), None);
    }

    #[test]
    fn nan_is_never_better_and_a_missing_metric_never_stops() {
        assert_eq!(stops_after(&lowest(2), &[1.0, f64::NAN, f64::NAN]), Some(3));
        assert_eq!(stops_after(&lowest(2), &[f64::NAN, 1.0, 2.0]), None);
        assert!(!lowest(1).should_stop(9, &MetricHistory::default()));
    }
}
