use crate::Split;
use crate::history::Curve;
use crate::metric::MetricEntry;
use crate::renderer::{MetricState, TrainingProgress};
use std::time::{Duration, Instant};

/// All that the dashboard shows.
#[derive(Debug)]
pub(super) struct State {
    pub(super) metrics: Vec<Metric>,
    /// The metrics that cannot be plotted.
    pub(super) notes: Vec<(Split, MetricEntry)>,
    pub(super) selected: usize,
    pub(super) history: History,
    pub(super) prompt: Prompt,
    pub(super) stop: Option<String>,
    pub(super) phase: Phase,
    pub(super) progress: TrainingProgress,
    pub(super) clock: Clock,
}

/// A numeric metric: a tab.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: String,
    /// One for each phase, in the order of [`Split::ALL`].
    lines: [Line; 3],
}

#[derive(Debug)]
pub(super) struct Line {
    pub(super) curve: Curve,
    pub(super) formatted: Option<String>,
    /// The epoch of the last point of a validation curve.
    epoch: usize,
}

/// How much of the curves is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum History {
    Full,
    Recent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prompt {
    Closed,
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Starting,
    Running(Split),
    /// The run is over, and the dashboard waits for a key.
    Over,
}

/// Measures the time of this run, which may have begun behind the first epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    started: Instant,
    /// The share of the run that was done at the first batch seen.
    first: Option<f64>,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            metrics: Vec::new(),
            notes: Vec::new(),
            selected: 0,
            history: History::Full,
            prompt: Prompt::Closed,
            stop: None,
            phase: Phase::Starting,
            progress: TrainingProgress::default(),
            clock: Clock { started: Instant::now(), first: None },
        }
    }

    pub(super) fn update(&mut self, split: Split, state: MetricState) {
        match state {
            MetricState::Generic(entry) => self.note(split, entry),
            MetricState::Numeric(entry, value) => self.plot(split, entry, value),
        }
    }

    pub(super) fn advance(&mut self, split: Split, progress: TrainingProgress) {
        self.phase = Phase::Running(split);
        self.progress = progress;
        let done = self.done();
        self.clock.first.get_or_insert(done);
    }

    /// Returns the share of the run that is done, in which an epoch is its training phase.
    pub(super) fn done(&self) -> f64 {
        let in_epoch = match self.phase {
            Phase::Starting => 0.0,
            Phase::Running(Split::Train | Split::Test) => self.in_phase(),
            Phase::Running(Split::Valid) | Phase::Over => 1.0,
        };
        let epochs = self.progress.epoch.saturating_sub(1) as f64 + in_epoch;
        (epochs / self.progress.epoch_total.max(1) as f64).clamp(0.0, 1.0)
    }

    /// Returns the share of this phase of the epoch that is done.
    pub(super) fn in_phase(&self) -> f64 {
        let progress = self.progress.progress;
        (progress.items_processed as f64 / progress.items_total.max(1) as f64).clamp(0.0, 1.0)
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.clock.started.elapsed()
    }

    /// Returns the time to the end at the speed so far.
    pub(super) fn remaining(&self) -> Option<Duration> {
        let (done, first) = (self.done(), self.clock.first?);
        (done > first && done > 0.0).then(|| self.elapsed().mul_f64((1.0 - done) / (done - first)))
    }

    fn note(&mut self, split: Split, entry: MetricEntry) {
        let same = |(other, old): &&mut (Split, MetricEntry)| *other == split && old.name == entry.name;
        match self.notes.iter_mut().find(same) {
            Some((_, old)) => *old = entry,
            None => self.notes.push((split, entry)),
        }
    }

    fn plot(&mut self, split: Split, entry: MetricEntry, value: f64) {
        let epoch = self.epoch_of(split);
        let metric = self.metric_mut(&entry.name);
        let train_x = metric.line(Split::Train).curve.last_x();
        let line = metric.line_mut(split);
        let last_x = line.curve.last_x();
        match split {
            // Without epochs there is a point for each batch.
            Split::Train | Split::Test => line.curve.push(last_x + 1.0, value),
            // A validation has one point, above the end of its epoch.
            Split::Valid if line.epoch == epoch => line.curve.replace_last(train_x, value),
            Split::Valid => line.curve.push(if train_x > 0.0 { train_x } else { last_x + 1.0 }, value),
        }
        (line.formatted, line.epoch) = (Some(entry.formatted), epoch);
    }

    /// Returns the epoch of a batch, whose metrics come before its progress.
    fn epoch_of(&self, split: Split) -> usize {
        match (split, self.phase) {
            (Split::Train, Phase::Running(Split::Valid)) => self.progress.epoch + 1,
            _ => self.progress.epoch.max(1),
        }
    }

    fn metric_mut(&mut self, name: &str) -> &mut Metric {
        let at = self.metrics.iter().position(|metric| metric.name == name).unwrap_or_else(|| {
            let lines = [Line::new(), Line::new(), Line::new()];
            self.metrics.push(Metric { name: name.to_string(), lines });
            self.metrics.len() - 1
        });
        &mut self.metrics[at]
    }
}

impl Metric {
    pub(super) fn line(&self, split: Split) -> &Line {
        &self.lines[split as usize]
    }

    fn line_mut(&mut self, split: Split) -> &mut Line {
        &mut self.lines[split as usize]
    }
}

impl Line {
    fn new() -> Self {
        Self { curve: Curve::new(), formatted: None, epoch: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_dataset::dataloader::Progress;

    fn progress(epoch: usize, items: usize) -> TrainingProgress {
        TrainingProgress { progress: Progress::new(items, 10), epoch, epoch_total: 2, iteration: items }
    }

    fn loss(value: f64) -> MetricState {
        MetricState::Numeric(MetricEntry::new("Loss", value.to_string(), ""), value)
    }

    #[test]
    fn a_validation_is_one_point_above_the_end_of_its_epoch() {
        let mut state = State::new();
        for epoch in 1..=2 {
            for item in [5, 10] {
                state.update(Split::Train, loss(1.0));
                state.advance(Split::Train, progress(epoch, item));
            }
            for (item, value) in [(5, 0.4), (10, 0.5)] {
                state.update(Split::Valid, loss(value / epoch as f64));
                state.advance(Split::Valid, progress(epoch, item));
            }
        }
        assert_eq!(state.metrics[0].line(Split::Train).curve.full().len(), 4);
        assert_eq!(state.metrics[0].line(Split::Valid).curve.full(), [(2.0, 0.5), (4.0, 0.25)]);
        assert_eq!(state.metrics[0].line(Split::Valid).formatted.as_deref(), Some("0.25"));
    }

    #[test]
    fn the_run_is_done_by_its_training_sides() {
        let mut state = State::new();
        let mut done = |split, epoch, items| {
            state.advance(split, progress(epoch, items));
            state.done()
        };
        assert_eq!(done(Split::Train, 1, 5), 0.25);
        assert_eq!(done(Split::Valid, 1, 1), 0.5);
        assert_eq!(done(Split::Train, 2, 5), 0.75);
        assert!(state.remaining().is_some());
    }
}
