use crate::Split;
use crate::callback::{MetricInfo, RunInfo};
use crate::history::{Curve, Direction, RunEnd, RunOutcome};
use crate::metric::MetricEntry;
use crate::renderer::item_rate::ItemRate;
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
    /// The learning rate of the last step.
    pub(super) lr: Option<f64>,
    /// Items per second of the phase.
    pub(super) speed: ItemRate,
    pub(super) outcome: Option<RunOutcome>,
    /// The metrics of the run, as far as they are known before the first batch.
    known: Vec<MetricInfo>,
    /// The best values of the epochs before a resumed run.
    earlier: Vec<(Split, String, BestValue)>,
}

/// A numeric metric: a tab.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: String,
    /// One for each phase, in the order of [`Split::ALL`].
    lines: [Line; 3],
    direction: Option<Direction>,
}

/// The value of the best epoch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BestValue {
    pub(super) epoch: usize,
    value: f64,
    pub(super) formatted: String,
}

#[derive(Debug)]
pub(super) struct Line {
    pub(super) curve: Curve,
    pub(super) formatted: Option<String>,
    /// The epoch of the last point.
    epoch: usize,
    /// The value over that epoch so far.
    value: f64,
    best: Option<BestValue>,
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

/// Measures the time of this run, which may have begun after the first epoch.
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
            lr: None,
            speed: ItemRate::new(Instant::now()),
            outcome: None,
            known: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// Takes what is known of a run before its first batch.
    pub(super) fn start(&mut self, run: &RunInfo<'_>) {
        self.known = run.metrics.to_vec();
        for MetricInfo { split, name, direction } in run.metrics {
            let epochs = run.history.epochs(*split, name).map(|(epoch, stats)| (epoch, stats.mean));
            let is_better = |value, best| direction.is_some_and(|direction| direction.is_better(value, best));
            let best = epochs.reduce(|best, other| if is_better(other.1, best.1) { other } else { best });
            if let (Some((epoch, value)), Some(_)) = (best, direction) {
                let best = BestValue { epoch, value, formatted: short(value) };
                self.earlier.push((*split, name.clone(), best));
            }
        }
    }

    /// Takes how the run ended.
    pub(super) fn end(&mut self, outcome: &RunOutcome) {
        let is_whole = !matches!(outcome.end, RunEnd::Interrupted { batches: Some(_), .. });
        if let (Phase::Running(split), true) = (self.phase, is_whole) {
            self.end_phase(split);
        }
        self.outcome = Some(outcome.clone());
    }

    /// Compares the values of a phase that is over with the best ones before.
    fn end_phase(&mut self, split: Split) {
        for metric in &mut self.metrics {
            let Some(direction) = metric.direction else { continue };
            let line = &mut metric.lines[split as usize];
            let (epoch, value) = (line.epoch, line.value);
            let best = line.best.as_ref().map_or(f64::NAN, |best| best.value);
            if let (Some(formatted), true) = (&line.formatted, direction.is_better(value, best)) {
                line.best = Some(BestValue { epoch, value, formatted: formatted.clone() });
            }
        }
    }

    pub(super) fn update(&mut self, split: Split, state: MetricState) {
        match state {
            MetricState::Generic(entry) => self.note(split, entry),
            MetricState::Numeric(entry, value) => self.plot(split, entry, value),
        }
    }

    pub(super) fn advance(&mut self, split: Split, progress: TrainingProgress) {
        match self.phase {
            Phase::Running(last) if last != split || self.progress.epoch != progress.epoch => {
                self.end_phase(last)
            }
            Phase::Running(_) | Phase::Starting | Phase::Over => {}
        }
        self.speed.update(split, &progress, Instant::now());
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
        (line.formatted, line.epoch, line.value) = (Some(entry.formatted), epoch, value);
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
            let lines = Split::ALL.map(|split| {
                let mut earlier = self.earlier.iter();
                let best = earlier.find(|(other, metric, _)| *other == split && metric == name);
                Line::new(best.map(|(_, _, best)| best.clone()))
            });
            let direction =
                self.known.iter().find(|known| known.name == name).and_then(|known| known.direction);
            self.metrics.push(Metric { name: name.to_string(), lines, direction });
            self.metrics.len() - 1
        });
        &mut self.metrics[at]
    }
}

impl Metric {
    pub(super) fn line(&self, split: Split) -> &Line {
        &self.lines[split as usize]
    }

    /// Returns the best value of validation, or of training where that is not measured.
    pub(super) fn best(&self) -> Option<&BestValue> {
        let best = |split| self.line(split).best.as_ref();
        best(Split::Valid)
            .or_else(|| best(Split::Train).filter(|_| self.line(Split::Valid).formatted.is_none()))
    }

    fn line_mut(&mut self, split: Split) -> &mut Line {
        &mut self.lines[split as usize]
    }
}

impl Line {
    fn new(best: Option<BestValue>) -> Self {
        Self { curve: Curve::new(), formatted: None, epoch: 0, value: f64::NAN, best }
    }
}

/// Formats a number in a few columns.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-3..1e5).contains(&size) => format!("{value:.2e}"),
        _ => format!("{value:.3}"),
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
    fn the_best_epoch_is_that_of_the_lowest_loss_of_whole_validations() {
        let mut history = crate::history::MetricHistory::default();
        history.record(Split::Valid, 1, "Loss", 0.75, "");
        let metrics = [Split::Train, Split::Valid].map(|split| {
            let direction = Some(Direction::Lowest);
            MetricInfo { split, name: "Loss".to_string(), direction }
        });
        let interrupter = crate::renderer::Interrupter::new();
        let mut state = State::new();
        state.start(&RunInfo {
            model: "Model",
            parameters: 1,
            epochs: 5,
            step: 0,
            artifacts: std::path::Path::new("run"),
            device: "cpu",
            tracked: None,
            metrics: &metrics,
            history: &history,
            interrupter: &interrupter,
        });
        let mut best = Vec::new();
        for (epoch, value) in [(2, 0.9), (3, 0.5), (4, 0.6)] {
            state.update(Split::Train, loss(0.1));
            state.advance(Split::Train, progress(epoch, 10));
            best.push(state.metrics[0].best().map(|best| (best.epoch, best.formatted.clone())));
            // The first half of a validation may have a lower loss than all of it.
            for value in [0.2, value] {
                state.update(Split::Valid, loss(value));
                state.advance(Split::Valid, progress(epoch, 5));
            }
        }
        let text = |epoch, text: &str| Some((epoch, text.to_string()));
        assert_eq!(best, [text(1, "0.750"), text(1, "0.750"), text(3, "0.5")]);
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
