use super::{Aggregate, Direction, EpochStats, Extreme, MetricSummary};
use crate::Split;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The numeric metrics of all epochs so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricHistory {
    metrics: Vec<Series>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Series {
    split: Split,
    name: String,
    epochs: BTreeMap<usize, EpochStats>,
}

impl MetricHistory {
    /// Takes in a batch: the value of the metric after it, and what it logged.
    pub fn record(&mut self, split: Split, epoch: usize, name: &str, value: f64, logged: &str) {
        let epochs = &mut self.series_mut(split, name).epochs;
        epochs
            .entry(epoch)
            .and_modify(|stats| stats.update(value, logged))
            .or_insert_with(|| EpochStats::new(value, logged));
    }

    /// Forgets an epoch and all after it, on one phase.
    pub fn forget_from(&mut self, split: Split, epoch: usize) {
        for series in self.metrics.iter_mut().filter(|series| series.split == split) {
            series.epochs.split_off(&epoch);
        }
    }

    /// Returns a metric in an epoch.
    pub fn stats(&self, split: Split, name: &str, epoch: usize) -> Option<EpochStats> {
        self.series(split, name)?.epochs.get(&epoch).copied()
    }

    /// Returns the value of a metric over each epoch, by epoch.
    pub fn epochs(&self, split: Split, name: &str) -> impl Iterator<Item = (usize, EpochStats)> {
        let epochs = self.series(split, name).into_iter().flat_map(|series| &series.epochs);
        epochs.map(|(&epoch, &stats)| (epoch, stats))
    }

    /// Returns the best epoch among some, the first of equals, or none where no one has the metric.
    pub fn best_epoch(
        &self,
        (split, name): (Split, &str),
        (aggregate, direction): (Aggregate, Direction),
        among: impl IntoIterator<Item = usize>,
    ) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for epoch in among {
            let Some(value) = self.stats(split, name, epoch).map(|stats| stats.get(aggregate)) else {
                continue;
            };
            if best.is_none_or(|(_, other)| direction.is_better(value, other)) {
                best = Some((epoch, value));
            }
        }
        best.map(|(epoch, _)| epoch)
    }

    /// Returns the names of the metrics of one phase, in the order in which they came.
    pub fn names(&self, split: Split) -> impl Iterator<Item = &str> {
        self.metrics.iter().filter(move |series| series.split == split).map(|series| series.name.as_str())
    }

    /// Returns the lowest and the highest value of every metric over the epochs.
    pub fn summaries(&self) -> Vec<MetricSummary> {
        let ordered = Split::ALL.into_iter().flat_map(|split| {
            self.metrics.iter().filter(move |series| series.split == split && !series.epochs.is_empty())
        });
        ordered.map(Series::summary).collect()
    }

    fn series(&self, split: Split, name: &str) -> Option<&Series> {
        self.metrics.iter().find(|series| series.split == split && series.name == name)
    }

    fn series_mut(&mut self, split: Split, name: &str) -> &mut Series {
        let found = self.metrics.iter().position(|series| series.split == split && series.name == name);
        let at = found.unwrap_or_else(|| {
            self.metrics.push(Series { split, name: name.to_string(), epochs: BTreeMap::new() });
            self.metrics.len() - 1
        });
        &mut self.metrics[at]
    }
}

impl Series {
    fn summary(&self) -> MetricSummary {
        let extreme = |direction: Direction| {
            let values = self.epochs.iter().map(|(&epoch, stats)| Extreme { epoch, value: stats.mean });
            values
                .reduce(|best, other| if direction.is_better(other.value, best.value) { other } else { best })
                .expect("a series that is told has an epoch")
        };
        MetricSummary {
            split: self.split,
            name: self.name.clone(),
            min: extreme(Direction::Lowest),
            max: extreme(Direction::Highest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(values: &[f64]) -> MetricHistory {
        let mut history = MetricHistory::default();
        for (epoch, &value) in (1..).zip(values) {
            history.record(Split::Valid, epoch, "Loss", value, "");
        }
        history
    }

    fn best(history: &MetricHistory, direction: Direction, among: &[usize]) -> Option<usize> {
        history.best_epoch((Split::Valid, "Loss"), (Aggregate::Mean, direction), among.iter().copied())
    }

    #[test]
    fn the_best_epoch_is_the_first_of_equals() {
        let history = history(&[3.0, 1.0, 1.0, f64::NAN]);
        assert_eq!(best(&history, Direction::Lowest, &[1, 2, 3, 4]), Some(2));
        assert_eq!(best(&history, Direction::Highest, &[2, 3, 4]), Some(2));
        assert_eq!(best(&history, Direction::Lowest, &[4, 3]), Some(3));
        assert_eq!(best(&history, Direction::Lowest, &[9]), None);
        assert_eq!(best(&MetricHistory::default(), Direction::Lowest, &[1]), None);
    }

    #[test]
    fn a_run_that_goes_back_forgets_what_it_does_again() {
        let mut history = history(&[3.0, 2.0, 1.0]);
        history.forget_from(Split::Train, 1);
        history.forget_from(Split::Valid, 2);
        assert_eq!(best(&history, Direction::Lowest, &[1, 2, 3]), Some(1));
    }

    #[test]
    fn extremes_leave_out_nan() {
        let summaries = history(&[f64::NAN, 2.0, 5.0]).summaries();
        assert_eq!(summaries[0].min, Extreme { epoch: 2, value: 2.0 });
        assert_eq!(summaries[0].max, Extreme { epoch: 3, value: 5.0 });
    }
}
