use super::nan::nan_metric;
use super::run_seed::step_seed;
use super::workload::{BatchDone, PartError, Position, Workload};
use crate::checkpoint::{CheckpointState, Checkpointer, Part};
use crate::history::{LearnerSummary, MetricHistory};
use crate::logger::MetricLogger;
use crate::renderer::{Interrupter, MetricState, MetricsRenderer};
use crate::{Split, TrainError};
use burn_core::record::RecordError;
use std::path::PathBuf;

/// A run: what happens when, and where it is told and kept.
pub(super) struct TrainingLoop {
    pub(super) epochs: usize,
    pub(super) start: Start,
    pub(super) seed: u64,
    pub(super) lr: Option<f64>,
    pub(super) history: MetricHistory,
    pub(super) interrupter: Interrupter,
    pub(super) renderer: Box<dyn MetricsRenderer>,
    pub(super) loggers: Loggers,
    pub(super) checkpointer: Option<Checkpointer>,
    /// Whether the run goes on where a metric is NaN.
    pub(super) continues_on_nan: bool,
}

/// Where a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) epoch: usize,
    /// The batches of the epoch that were learnt from before.
    pub(super) batches: usize,
}

/// Where the numbers of both sides are kept.
pub(super) struct Loggers {
    pub(super) train: Box<dyn MetricLogger>,
    pub(super) valid: Box<dyn MetricLogger>,
}

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    GoesOn,
    Stopped,
}

impl TrainingLoop {
    /// Runs all epochs, or until the run is asked to stop.
    pub(super) fn run(&mut self, work: &mut dyn Workload) -> Result<(), TrainError> {
        let mut batches = self.start.batches;
        for epoch in self.start.epoch..=self.epochs {
            let outcome = self.epoch(work, epoch, std::mem::take(&mut batches))?;
            if outcome == Outcome::Stopped {
                let reason = self.interrupter.reason().unwrap_or_default();
                tracing::info!(epoch, reason, "the run is stopped");
                break;
            }
        }
        Ok(())
    }

    /// Tells the renderer that the run is over.
    pub(super) fn close(&mut self, summary: Option<&LearnerSummary>) {
        if let Err(error) = self.renderer.on_train_end(summary) {
            tracing::warn!("the renderer could not end: {error}");
        }
    }

    fn epoch(
        &mut self,
        work: &mut dyn Workload,
        epoch: usize,
        skipped: usize,
    ) -> Result<Outcome, TrainError> {
        let (batches, outcome) = self.side(work, Split::Train, epoch, skipped)?;
        if outcome == Outcome::Stopped {
            self.save(work, epoch, Some(batches))?;
            return Ok(outcome);
        }
        let (_, outcome) = self.side(work, Split::Valid, epoch, 0)?;
        let unfinished = (outcome == Outcome::Stopped).then_some(batches);
        self.save(work, epoch, unfinished)?;
        self.tell_epoch(epoch);
        Ok(if self.interrupter.should_stop() { Outcome::Stopped } else { Outcome::GoesOn })
    }

    /// Runs one side of an epoch, and returns how many batches of it are done.
    fn side(
        &mut self,
        work: &mut dyn Workload,
        split: Split,
        epoch: usize,
        skipped: usize,
    ) -> Result<(usize, Outcome), TrainError> {
        work.start(split, epoch, skipped)?;
        self.history.forget_from(split, epoch);
        self.logger(split).start_epoch(epoch, skipped)?;
        let (mut iteration, mut states) = (skipped, Vec::new());
        let outcome = loop {
            let seed = step_seed(self.seed, epoch, iteration + 1);
            let at = Position { split, epoch, epoch_total: self.epochs, iteration: iteration + 1, seed };
            let Some(done) = work.batch(&at, &mut states)? else { break Outcome::GoesOn };
            iteration += 1;
            self.tell(&at, &done, &mut states)?;
            if self.interrupter.should_stop() && !done.accumulating {
                break Outcome::Stopped;
            }
        };
        work.end(split);
        self.logger(split).end_epoch(epoch)?;
        match (split, iteration) {
            (Split::Train, 0) => Err(TrainError::NoBatches { epoch }),
            (Split::Train | Split::Valid, _) => Ok((iteration, outcome)),
        }
    }

    fn tell(
        &mut self,
        at: &Position,
        done: &BatchDone,
        states: &mut Vec<MetricState>,
    ) -> Result<(), TrainError> {
        self.lr = done.lr;
        let nan = states.iter().find_map(nan_metric).map(|metric| TrainError::Nan {
            split: at.split,
            epoch: at.epoch,
            iteration: at.iteration,
            metric: metric.to_string(),
        });
        for state in states.drain(..) {
            let entry = state.entry();
            self.logger(at.split).log(at.epoch, entry)?;
            if let MetricState::Numeric(entry, value) = &state {
                self.history.record(at.split, at.epoch, &entry.name, *value, &entry.serialized);
            }
            match at.split {
                Split::Train => self.renderer.update_train(state),
                Split::Valid => self.renderer.update_valid(state),
            }
        }
        let progress = at.progress(done.progress);
        match at.split {
            Split::Train => self.renderer.render_train(progress),
            Split::Valid => self.renderer.render_valid(progress),
        }
        nan.filter(|_| !self.continues_on_nan).map_or(Ok(()), Err)
    }

    /// Saves a checkpoint of an epoch that is over, or of the first batches of one that is stopped. One that would hold
    /// NaN is not saved, and replaces none.
    fn save(&self, work: &dyn Workload, epoch: usize, batches: Option<usize>) -> Result<(), TrainError> {
        let Some(checkpointer) = &self.checkpointer else { return Ok(()) };
        let history = self.history.clone();
        let state =
            CheckpointState { epoch, batches, lr: self.lr, seed: self.seed, history, ..Default::default() };
        let mut nan = None;
        let write = &mut |part: Part, path: PathBuf| {
            work.save(part, path).map_err(|error| match error {
                PartError::Record(error) => error,
                PartError::Nan(key) => {
                    nan = Some(format!("{}: {key}", part.name()));
                    RecordError::Precision { key, cause: "NaN is not kept in a checkpoint".to_string() }
                }
            })
        };
        let saved = match batches {
            None => checkpointer.finish_epoch(state, write),
            Some(_) => checkpointer.save_unfinished(state, write),
        };
        match nan {
            None => Ok(saved?),
            Some(key) if self.continues_on_nan => {
                tracing::warn!(epoch, key, "no checkpoint is saved: it would hold NaN");
                Ok(())
            }
            Some(key) => Err(TrainError::NanCheckpoint { epoch, key }),
        }
    }

    fn tell_epoch(&self, epoch: usize) {
        tracing::info!(epoch, of = self.epochs, "epoch over");
        for split in Split::ALL {
            for name in self.history.names(split) {
                if let Some(stats) = self.history.stats(split, name, epoch) {
                    tracing::info!(epoch, split = split.folder(), value = stats.mean, "{name}");
                }
            }
        }
    }

    fn logger(&mut self, split: Split) -> &mut dyn MetricLogger {
        match split {
            Split::Train => &mut *self.loggers.train,
            Split::Valid => &mut *self.loggers.valid,
        }
    }
}

#[cfg(test)]
mod tests;
