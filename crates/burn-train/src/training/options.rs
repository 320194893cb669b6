use super::gradient_steps::GradientSteps;
use super::metric_slot::MetricDescription;
use super::nan_policy::NanPolicy;
use super::rank_group::RankGroup;
use super::required_metrics::{RequiredMetric, RequiredMetrics};
use super::training_loop::{Loggers, Start, TrainingLoop};
use super::watchers::Watchers;
use super::workload::Workload;
use crate::artifacts::ArtifactFolder;
use crate::callback::{MetricInfo, RunInfo};
use crate::checkpoint::{
    CheckpointError, CheckpointState, CheckpointStore, Checkpointer, CheckpointingStrategy,
    ComposedCheckpointingStrategy, KeepLastNCheckpoints, MetricCheckpointingStrategy, Part, SavedCheckpoint,
    TreeFile,
};
use crate::history::{LearnerSummary, MetricHistory, RunEnd, RunOutcome, TrackedMetric};
use crate::logger::{
    ApplicationLoggerInstaller, DiscardingMetricLogger, FileApplicationLogger, FileMetricLogger,
};
use crate::renderer::{Interrupter, MetricsRenderer, SilentRenderer, default_renderer};
use crate::{EarlyStoppingStrategy, Split, TrainError};
use burn_core::record::{Node, RecordError};
use burn_optim::{GradScaler, GradScalerRecord, GradientClippingConfig};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Options of the user that need no type parameters.
pub(super) struct Options {
    pub(super) artifacts: PathBuf,
    pub(super) epochs: usize,
    pub(super) accumulation: usize,
    pub(super) resume: Resume,
    pub(super) summary: bool,
    pub(super) stays_open: bool,
    pub(super) renderer: Option<Box<dyn MetricsRenderer>>,
    pub(super) loggers: Loggers,
    pub(super) application_logger: Option<Box<dyn ApplicationLoggerInstaller>>,
    pub(super) interrupter: Interrupter,
    pub(super) recorder: Option<Box<dyn TreeFile>>,
    pub(super) strategy: Box<dyn CheckpointingStrategy>,
    pub(super) saves_in_background: bool,
    pub(super) nan: NanPolicy,
    pub(super) clipping: Option<GradientClippingConfig>,
    pub(super) scaler: Option<GradScaler>,
    pub(super) early_stopping: Option<Box<dyn EarlyStoppingStrategy>>,
    pub(super) watchers: Watchers,
    required: RequiredMetrics,
    metrics: Vec<MetricInfo>,
}

/// Which checkpoint a run begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resume {
    No,
    Epoch(usize),
    Newest,
}

/// The checkpoints of a run that is about to begin.
pub(super) struct OpenedRun {
    /// None on ranks that write no files.
    folder: Option<ArtifactFolder>,
    store: CheckpointStore,
    /// The one to begin with.
    pub(super) saved: Option<SavedCheckpoint>,
    /// The one of the best epoch so far, where the run returns its model.
    pub(super) best: Option<SavedCheckpoint>,
}

impl Options {
    pub(super) fn new(artifacts: &Path) -> Self {
        Self {
            artifacts: artifacts.to_path_buf(),
            epochs: 1,
            accumulation: 1,
            resume: Resume::No,
            summary: false,
            stays_open: false,
            renderer: None,
            loggers: Loggers {
                train: Box::new(FileMetricLogger::new(artifacts.join("train"))),
                valid: Box::new(FileMetricLogger::new(artifacts.join("valid"))),
            },
            application_logger: Some(Box::new(FileApplicationLogger::new(artifacts.join("experiment.log")))),
            interrupter: Interrupter::new(),
            recorder: None,
            strategy: Box::new(KeepLastNCheckpoints::default()),
            saves_in_background: false,
            nan: NanPolicy::Stop,
            clipping: None,
            scaler: None,
            early_stopping: None,
            watchers: Watchers::default(),
            required: RequiredMetrics::default(),
            metrics: Vec::new(),
        }
    }

    /// Compares the metrics that are asked for by name with those of the training and the validation phase.
    ///
    /// # Errors
    /// If there is none of a name.
    pub(super) fn require_metrics(
        &mut self,
        scheduler_needs_loss: bool,
        metrics: [&[MetricDescription]; 2],
    ) -> Result<(), TrainError> {
        let early_stopping = self.early_stopping.as_ref().and_then(|stopping| stopping.metric());
        let early_stopping = early_stopping.map(|metric| ("early stopping", metric));
        let strategy = self.strategy.metrics().into_iter().map(|metric| ("checkpointing strategy", metric));
        let tracked = early_stopping.into_iter().chain(strategy.filter(|_| self.recorder.is_some()));
        let tracked =
            tracked.map(|(user, TrackedMetric { name, split, .. })| RequiredMetric { user, split, name });
        let scheduler = RequiredMetric {
            user: "learning rate scheduler, which waits for the loss of validations",
            split: Split::Valid,
            name: "Loss".to_string(),
        };
        self.required.0 = tracked.chain(scheduler_needs_loss.then_some(scheduler)).collect();
        for (split, metrics) in [Split::Train, Split::Valid].into_iter().zip(metrics) {
            self.required.check_at_start(split, metrics)?;
            self.metrics.extend(metrics.iter().filter(|metric| metric.is_numeric).filter_map(|metric| {
                let (name, direction) = (metric.name.clone()?, metric.direction);
                Some(MetricInfo { split, name, direction })
            }));
        }
        Ok(())
    }

    /// Returns the checkpoint of the best epoch before the one that the run begins with, where the run
    /// returns that model.
    fn best_before(&self, store: &CheckpointStore, saved: &SavedCheckpoint) -> Option<SavedCheckpoint> {
        let stopping = self.early_stopping.as_ref().filter(|stopping| stopping.restores_best())?;
        let state = saved.state();
        let last = state.epoch - usize::from(state.batches.is_some());
        let best = stopping.metric()?.best_epoch(&state.history, 1..=last)?;
        match store.load(best) {
            Ok(best) => Some(best),
            Err(error) => {
                tracing::warn!("the model of the best epoch so far is lost: {error}");
                None
            }
        }
    }

    /// Returns the way from the gradients of batches to steps, where a checkpoint left it.
    ///
    /// `read` makes the state of the loss scale of its tree, which takes a device.
    pub(super) fn gradient_steps(
        &mut self,
        opened: &OpenedRun,
        read: &dyn Fn(Node) -> Result<GradScalerRecord, RecordError>,
    ) -> Result<GradientSteps, TrainError> {
        let mut steps = GradientSteps::new(self.accumulation);
        steps.clipping = self.clipping;
        steps.scaler = self.scaler.take();
        steps.nan = self.nan;
        if let (Some(saved), Some(recorder), true) = (&opened.saved, &self.recorder, steps.scaler.is_some()) {
            let tree = recorder.load(saved.path(Part::GradScaler)).map_err(CheckpointError::from)?;
            steps.load_scaler(read(tree).map_err(CheckpointError::from)?);
        }
        Ok(steps)
    }

    /// Opens the files of a run; of several ranks, rank 0 has them, and the others read the checkpoint that
    /// it begins with.
    pub(super) fn open(&mut self, group: Option<&dyn RankGroup>) -> Result<OpenedRun, TrainError> {
        let Some(group) = group else { return self.open_folder() };
        if group.rank() > 0 {
            return self.join(group);
        }
        let opened = self.open_folder()?;
        let epoch = opened.saved.as_ref().map_or(0, |saved| saved.state().epoch);
        group.number_of_rank_0(epoch as u64)?;
        Ok(opened)
    }

    /// Opens a run whose files are those of rank 0.
    fn join(&mut self, group: &dyn RankGroup) -> Result<OpenedRun, TrainError> {
        let (train, valid) = (Box::new(DiscardingMetricLogger), Box::new(DiscardingMetricLogger));
        self.loggers = Loggers { train, valid };
        self.renderer = Some(Box::new(SilentRenderer));
        self.watchers = Watchers::default();
        (self.application_logger, self.summary, self.stays_open) = (None, false, false);
        let store = CheckpointStore::of_other_process(self.artifacts.join("checkpoint"));
        let epoch = usize::try_from(group.number_of_rank_0(0)?).unwrap_or_default();
        let saved = if epoch > 0 { Some(store.load(epoch)?) } else { None };
        let best = saved.as_ref().and_then(|saved| self.best_before(&store, saved));
        Ok(OpenedRun { folder: None, store, saved, best })
    }

    /// Makes the folder and takes it, begins the log, and finds the checkpoint to begin with.
    fn open_folder(&mut self) -> Result<OpenedRun, TrainError> {
        let folder = ArtifactFolder::open(&self.artifacts, self.application_logger.take())?;
        let store = CheckpointStore::open(self.artifacts.join("checkpoint"))?;
        let saved = match self.resume {
            Resume::No => None,
            Resume::Epoch(_) | Resume::Newest if self.recorder.is_none() => {
                let message =
                    "a run cannot begin with a checkpoint without `with_file_checkpointer(recorder)`";
                return Err(TrainError::Unsupported(message.to_string()));
            }
            Resume::Epoch(epoch) => Some(store.load(epoch)?),
            Resume::Newest => store.newest()?,
        };
        let best = saved.as_ref().and_then(|saved| self.best_before(&store, saved));
        Ok(OpenedRun { folder: Some(folder), store, saved, best })
    }

    /// Runs the loop. A run that begins anew takes `seed`, another one that of its checkpoint.
    pub(super) fn run(
        self,
        opened: OpenedRun,
        work: &mut dyn Workload,
        seed: u64,
        ModelFacts { model, parameters, device }: ModelFacts,
    ) -> Result<(), TrainError> {
        let Self { artifacts, epochs, interrupter, .. } = self;
        let strategy = with_best_epoch(self.strategy, self.early_stopping.as_deref());
        tracing::info!(artifacts = %artifacts.display(), model, parameters, epochs, "the run begins");
        let OpenedRun { folder, store, saved, .. } = opened;
        let writes_files = folder.is_some();
        let checkpointer = self.recorder.filter(|_| writes_files).map(|recorder| {
            let checkpointer = Checkpointer::new(store, strategy, recorder);
            if self.saves_in_background { checkpointer.in_background() } else { Ok(checkpointer) }
        });
        let mut training = TrainingLoop {
            folder,
            epochs,
            start: Start { epoch: 1, batches: 0 },
            seed,
            lr: None,
            steps: 0,
            history: MetricHistory::default(),
            renderer: self.renderer.unwrap_or_else(|| default_renderer(&interrupter)),
            interrupter,
            loggers: self.loggers,
            checkpointer: checkpointer.transpose()?,
            nan: self.nan,
            early_stopping: self.early_stopping,
            watchers: self.watchers,
            required: self.required,
            last_epoch: 0,
        };
        if let Some(saved) = saved {
            training.go_on(saved.state());
        }
        let tracked = training.early_stopping.as_ref().and_then(|stopping| stopping.metric());
        let model_info = ModelInfo { model, parameters, device, artifacts, tracked, metrics: self.metrics };
        let outcome = match training.run_watched(work, &model_info) {
            Ok(end) => training.outcome(end, work),
            Err(error) => {
                tracing::error!("the run ends: {error}");
                training.close(None);
                return Err(error);
            }
        };
        training.show(&outcome, self.stays_open);
        let metrics = training.history.summaries();
        let table = LearnerSummary { model: model_info.model, epochs, outcome, metrics };
        training.close(self.summary.then_some(&table));
        if !self.summary && writes_files && table.outcome.is_notable() {
            // A closed output is no error of the run.
            let _ = write!(std::io::stderr(), "{}", table.outcome);
        }
        Ok(())
    }
}

/// Adds the checkpoint of the best epoch to a strategy, where the run returns that model.
fn with_best_epoch(
    strategy: Box<dyn CheckpointingStrategy>,
    stopping: Option<&dyn EarlyStoppingStrategy>,
) -> Box<dyn CheckpointingStrategy> {
    let stopping = stopping.filter(|stopping| stopping.restores_best());
    match stopping.and_then(|stopping| stopping.metric()) {
        Some(metric) => {
            let best = MetricCheckpointingStrategy::from(metric);
            Box::new(ComposedCheckpointingStrategy::new().with(strategy).with(best))
        }
        None => strategy,
    }
}

/// Facts about the model of a run.
pub(super) struct ModelFacts {
    /// The name of the model's type.
    pub(super) model: String,
    pub(super) parameters: usize,
    pub(super) device: String,
}

/// The part of the information of a run that does not change.
struct ModelInfo {
    /// The name of the model's type.
    model: String,
    parameters: usize,
    device: String,
    artifacts: PathBuf,
    tracked: Option<TrackedMetric>,
    metrics: Vec<MetricInfo>,
}

impl ModelInfo {
    fn of_run<'a>(
        &'a self,
        (epochs, step): (usize, u64),
        history: &'a MetricHistory,
        interrupter: &'a Interrupter,
    ) -> RunInfo<'a> {
        let Self { model, parameters, device, artifacts, tracked, metrics } = self;
        let (parameters, tracked) = (*parameters, tracked.as_ref());
        RunInfo { model, parameters, epochs, step, artifacts, device, tracked, metrics, history, interrupter }
    }
}

impl OpenedRun {
    /// Returns the learning rate of the last step before the run.
    pub(super) fn lr(&self) -> Option<f64> {
        self.saved.as_ref().and_then(|saved| saved.state().lr)
    }
}

impl TrainingLoop {
    /// Writes the outcome to the log and to the renderer.
    fn show(&mut self, outcome: &RunOutcome, stays_open: bool) {
        for line in outcome.to_string().lines() {
            tracing::info!("{line}");
        }
        self.renderer.show_outcome(outcome);
        if stays_open {
            self.renderer.manual_close();
        }
    }

    /// Runs the loop between the first and the last call of the callbacks.
    fn run_watched(&mut self, work: &mut dyn Workload, model_info: &ModelInfo) -> Result<RunEnd, TrainError> {
        self.renderer.start(&model_info.of_run((self.epochs, self.steps), &self.history, &self.interrupter));
        let mut watchers = std::mem::take(&mut self.watchers);
        let started = watchers.train_start(&self.info(model_info));
        self.watchers = watchers;
        let result = started.and_then(|()| self.run(work));
        let mut watchers = std::mem::take(&mut self.watchers);
        let ended = watchers.train_end(&self.info(model_info));
        result.and_then(|end| ended.map(|()| end))
    }

    fn info<'a>(&'a self, model_info: &'a ModelInfo) -> RunInfo<'a> {
        model_info.of_run((self.epochs, self.steps), &self.history, &self.interrupter)
    }

    /// Begins where a checkpoint ends.
    fn go_on(&mut self, state: &CheckpointState) {
        self.start = match state.batches {
            None => Start { epoch: state.epoch + 1, batches: 0 },
            Some(batches) => Start { epoch: state.epoch, batches },
        };
        self.seed = state.seed;
        self.lr = state.lr;
        self.steps = state.steps;
        self.history = state.history.clone();
        tracing::info!(epoch = self.start.epoch, batches = self.start.batches, "the run goes on");
    }
}
