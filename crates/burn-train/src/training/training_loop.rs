use super::nan::{nan_key, nan_metric};
use super::nan_policy::NanPolicy;
use super::required_metrics::RequiredMetrics;
use super::run_seed::step_seed;
use super::watchers::Watchers;
use super::workload::{BatchDone, Position, Workload};
use crate::artifacts::ArtifactFolder;
use crate::callback::{BatchEnd, EpochInfo};
use crate::checkpoint::{CheckpointState, Checkpointer, Part};
use crate::history::{BestEpoch, LearnerSummary, MetricHistory, RunEnd, RunOutcome, TrackedMetric};
use crate::logger::MetricLogger;
use crate::renderer::{Interrupter, MetricState, MetricsRenderer};
use crate::{EarlyStoppingStrategy, Split, TrainError};
use burn_core::record::RecordError;

/// A run: what happens when, and where it is reported and kept.
pub(super) struct TrainingLoop {
    /// None in tests that write nothing but checkpoints.
    pub(super) folder: Option<ArtifactFolder>,
    pub(super) epochs: usize,
    pub(super) start: Start,
    pub(super) seed: u64,
    pub(super) lr: Option<f64>,
    /// The training batches so far.
    pub(super) steps: u64,
    pub(super) history: MetricHistory,
    pub(super) interrupter: Interrupter,
    pub(super) renderer: Box<dyn MetricsRenderer>,
    pub(super) loggers: Loggers,
    pub(super) checkpointer: Option<Checkpointer>,
    pub(super) nan: NanPolicy,
    pub(super) early_stopping: Option<Box<dyn EarlyStoppingStrategy>>,
    pub(super) watchers: Watchers,
    pub(super) required: RequiredMetrics,
    /// The last epoch of which something was trained.
    pub(super) last_epoch: usize,
}

/// Where a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) epoch: usize,
    /// The batches of the epoch that were learnt from before.
    pub(super) batches: usize,
}

/// Where the numbers of both phases are kept.
pub(super) struct Loggers {
    pub(super) train: Box<dyn MetricLogger>,
    pub(super) valid: Box<dyn MetricLogger>,
}

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    GoesOn,
    /// It was asked to stop, after so many training batches of the epoch if that is not over.
    Stopped(Option<usize>),
}

impl TrainingLoop {
    /// Runs all epochs, or until the run is asked to stop.
    pub(super) fn run(&mut self, work: &mut dyn Workload) -> Result<RunEnd, TrainError> {
        let result = self.run_epochs(work);
        // A checkpoint that is being written is finished whatever happened.
        let written = self.checkpointer.as_mut().map_or(Ok(()), Checkpointer::finish);
        result.and_then(|end| written.map(|()| end).map_err(TrainError::from))
    }

    fn run_epochs(&mut self, work: &mut dyn Workload) -> Result<RunEnd, TrainError> {
        let mut batches = self.start.batches;
        if batches == 0 && self.start.epoch > 1 {
            self.last_epoch = self.start.epoch - 1;
            if self.last_epoch >= self.epochs || self.stops_early(self.last_epoch) {
                return Ok(RunEnd::NothingLeft);
            }
        }
        for epoch in self.start.epoch..=self.epochs {
            self.last_epoch = epoch;
            let outcome = self.epoch(work, epoch, std::mem::take(&mut batches))?;
            if let Outcome::Stopped(batches) = outcome {
                let reason = self.interrupter.reason().unwrap_or_default();
                return Ok(RunEnd::Interrupted { reason, batches, checkpoint: None });
            }
            if self.best_epoch(epoch) == Some(epoch) && self.restores_best() {
                work.keep_best();
            }
            if self.stops_early(epoch) {
                return Ok(if epoch < self.epochs { RunEnd::StoppedEarly } else { RunEnd::Finished });
            }
        }
        Ok(RunEnd::Finished)
    }

    /// Returns how the run ended, and with which model.
    pub(super) fn outcome(&self, mut end: RunEnd, work: &mut dyn Workload) -> RunOutcome {
        let model_file = |epoch| self.checkpointer.as_ref().and_then(|saved| saved.model_file(epoch));
        let mut whole = self.last_epoch;
        if let RunEnd::Interrupted { batches, checkpoint, .. } = &mut end {
            *checkpoint = model_file(self.last_epoch);
            whole -= usize::from(batches.is_some());
        }
        let metric = self.early_stopping.as_ref().and_then(|stopping| stopping.metric());
        let best = self.best_epoch(whole).zip(metric).and_then(|(epoch, metric)| {
            let value = metric.value(&self.history, epoch)?;
            let TrackedMetric { name: metric, split, .. } = metric;
            Some(BestEpoch { epoch, split, metric, value, checkpoint: model_file(epoch) })
        });
        let is_asked = self.restores_best() && !matches!(end, RunEnd::Interrupted { .. });
        let is_other = best.as_ref().is_some_and(|best| best.epoch != self.last_epoch);
        let returns_best = is_asked && is_other && work.return_best();
        RunOutcome { end, epochs: self.epochs, last_epoch: self.last_epoch, best, returns_best }
    }

    /// Returns the best epoch up to `last`, by the metric of early stopping.
    fn best_epoch(&self, last: usize) -> Option<usize> {
        let metric = self.early_stopping.as_ref()?.metric()?;
        metric.best_epoch(&self.history, 1..=last)
    }

    fn restores_best(&self) -> bool {
        self.early_stopping.as_ref().is_some_and(|stopping| stopping.restores_best())
    }

    /// Notifies the renderer that the run is over.
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
        self.inform(epoch, Watchers::epoch_start)?;
        let (batches, outcome) = self.phase(work, Split::Train, epoch, skipped)?;
        if outcome != Outcome::GoesOn {
            self.save(work, epoch, Some(batches))?;
            return Ok(Outcome::Stopped(Some(batches)));
        }
        let (_, outcome) = self.phase(work, Split::Valid, epoch, 0)?;
        self.restore_folder()?;
        // Before the checkpoint: after a kill in between, the epoch is done over and reported again, not left
        // out. An error of a callback does not cost the checkpoint.
        let reported = match outcome {
            Outcome::GoesOn => self.inform(epoch, Watchers::epoch_end),
            Outcome::Stopped(_) => Ok(()),
        };
        let unfinished = (outcome != Outcome::GoesOn).then_some(batches);
        self.save(work, epoch, unfinished)?;
        self.report_epoch(epoch);
        reported?;
        let stops = work.should_stop(&self.interrupter)?;
        Ok(if stops { Outcome::Stopped(unfinished) } else { Outcome::GoesOn })
    }

    /// Calls the callbacks at the begin or the end of an epoch.
    fn inform(
        &mut self,
        epoch: usize,
        call: fn(&mut Watchers, &EpochInfo<'_>) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let Self { watchers, epochs, steps, lr, history, interrupter, .. } = self;
        let (epoch_total, step, lr) = (*epochs, *steps, *lr);
        call(watchers, &EpochInfo { epoch, epoch_total, step, lr, history, interrupter })
    }

    /// Runs one phase of an epoch, and returns how many batches of it are done.
    fn phase(
        &mut self,
        work: &mut dyn Workload,
        split: Split,
        epoch: usize,
        skipped: usize,
    ) -> Result<(usize, Outcome), TrainError> {
        self.restore_folder()?;
        work.start(split, epoch, skipped)?;
        self.history.forget_from(split, epoch);
        self.logger(split).start_epoch(epoch, skipped)?;
        let (mut iteration, mut states, mut forgotten) = (skipped, Vec::new(), 0);
        let outcome = loop {
            let seed = step_seed(self.seed, epoch, iteration + 1);
            let at = Position { split, epoch, epoch_total: self.epochs, iteration: iteration + 1, seed };
            let Some(done) = work.batch(&at, &mut states)? else { break Outcome::GoesOn };
            iteration += 1;
            forgotten += usize::from(done.skipped);
            self.report_batch(&at, &done, &mut states)?;
            if work.should_stop(&self.interrupter)? && !done.accumulating {
                break Outcome::Stopped(Some(iteration));
            }
        };
        work.end(split)?;
        self.logger(split).end_epoch(epoch)?;
        match (split, iteration) {
            (Split::Train, 0) => Err(TrainError::NoBatches { split: Split::Train, epoch }),
            (Split::Train, done) if forgotten > 0 && forgotten == done - skipped => {
                Err(TrainError::AllSkipped { epoch })
            }
            (Split::Train | Split::Valid | Split::Test, _) => Ok((iteration, outcome)),
        }
    }

    fn report_batch(
        &mut self,
        at: &Position,
        done: &BatchDone,
        states: &mut Vec<MetricState>,
    ) -> Result<(), TrainError> {
        self.lr = done.lr;
        self.steps += u64::from(at.split == Split::Train);
        if done.skipped {
            let Position { epoch, iteration, .. } = *at;
            tracing::warn!(epoch, iteration, "a batch is skipped: its gradients are infinite or NaN");
        }
        let nan = states.iter().find_map(nan_metric).map(|metric| TrainError::Nan {
            split: at.split,
            epoch: at.epoch,
            iteration: at.iteration,
            metric: metric.to_string(),
        });
        if !done.skipped {
            self.required.check_batch(at.split, states)?;
        }
        let progress = at.progress(done.progress);
        for state in states.iter() {
            let entry = state.entry();
            self.logger(at.split).log(at.epoch, entry)?;
            if let MetricState::Numeric(entry, value) = state {
                self.history.record(at.split, at.epoch, &entry.name, *value, &entry.serialized);
            }
        }
        self.watchers.batch_end(&BatchEnd {
            split: at.split,
            progress: &progress,
            step: self.steps,
            lr: done.lr,
            skipped: done.skipped,
            metrics: states,
            interrupter: &self.interrupter,
        })?;
        for state in states.drain(..) {
            self.renderer.update(at.split, state);
        }
        if let Some(lr) = done.lr {
            self.renderer.update_learning_rate(lr);
        }
        self.renderer.render(at.split, progress);
        nan.filter(|_| self.nan != NanPolicy::Continue).map_or(Ok(()), Err)
    }

    /// Saves a checkpoint, for which all ranks wait.
    fn save(&mut self, work: &dyn Workload, epoch: usize, batches: Option<usize>) -> Result<(), TrainError> {
        self.write_checkpoint(work, epoch, batches)?;
        work.barrier()
    }

    /// Saves a checkpoint of an epoch that is over, or of the first batches of one that is stopped. One that
    /// would hold NaN is not saved, and replaces none.
    fn write_checkpoint(
        &mut self,
        work: &dyn Workload,
        epoch: usize,
        batches: Option<usize>,
    ) -> Result<(), TrainError> {
        self.restore_folder()?;
        let Self { lr, seed, steps, .. } = *self;
        let Some(checkpointer) = &mut self.checkpointer else { return Ok(()) };
        let history = self.history.clone();
        let state = CheckpointState { epoch, batches, lr, seed, steps, history, ..Default::default() };
        let mut nan = None;
        let trees = &mut |part: Part| {
            let Some(tree) = work.tree(part) else { return Ok(None) };
            let Some(key) = nan_key(&tree) else { return Ok(Some(tree)) };
            nan = Some(format!("{}: {key}", part.name()));
            Err(RecordError::Precision { key, cause: "NaN is not kept in a checkpoint".to_string() })
        };
        let saved = match batches {
            None => checkpointer.finish_epoch(state, trees),
            Some(_) => checkpointer.save_unfinished(state, trees),
        };
        match nan {
            None => Ok(saved?),
            Some(key) if self.nan == NanPolicy::Continue => {
                tracing::warn!(epoch, key, "no checkpoint is saved: it would hold NaN");
                Ok(())
            }
            Some(key) => Err(TrainError::NanCheckpoint { epoch, key }),
        }
    }

    /// Makes the artifact folder anew if it was removed.
    fn restore_folder(&mut self) -> Result<(), TrainError> {
        self.folder.as_mut().map_or(Ok(()), ArtifactFolder::restore)
    }

    fn stops_early(&self, epoch: usize) -> bool {
        let stops =
            self.early_stopping.as_ref().is_some_and(|stopping| stopping.should_stop(epoch, &self.history));
        if stops {
            tracing::info!(epoch, "the run stops early");
        }
        stops
    }

    fn report_epoch(&self, epoch: usize) {
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
            Split::Valid | Split::Test => &mut *self.loggers.valid,
        }
    }
}

#[cfg(test)]
mod tests;
