use super::gradient_steps::GradientSteps;
use super::nan_policy::NanPolicy;
use super::training_loop::{Loggers, Start, TrainingLoop};
use super::watchers::Watchers;
use super::workload::Workload;
use crate::artifacts::ArtifactFolder;
use crate::callback::RunInfo;
use crate::checkpoint::{
    CheckpointError, CheckpointState, CheckpointStore, Checkpointer, CheckpointingStrategy,
    KeepLastNCheckpoints, Part, SavedCheckpoint, TreeFile,
};
use crate::history::{LearnerSummary, MetricHistory};
use crate::logger::{ApplicationLoggerInstaller, FileApplicationLogger, FileMetricLogger};
use crate::renderer::{Interrupter, MetricsRenderer, default_renderer};
use crate::{EarlyStoppingStrategy, TrainError};
use burn_core::record::{Node, RecordError};
use burn_optim::{GradScaler, GradScalerRecord, GradientClippingConfig};
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
    folder: ArtifactFolder,
    store: CheckpointStore,
    /// The one to begin with.
    pub(super) saved: Option<SavedCheckpoint>,
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

    /// Makes the folder and takes it, begins the log, and finds the checkpoint to begin with.
    pub(super) fn open(&mut self) -> Result<OpenedRun, TrainError> {
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
        Ok(OpenedRun { folder, store, saved })
    }

    /// Runs the loop. A run that begins anew takes `seed`, another one that of its checkpoint.
    pub(super) fn run(
        self,
        opened: OpenedRun,
        work: &mut dyn Workload,
        seed: u64,
        (model, parameters): (String, usize),
    ) -> Result<(), TrainError> {
        let Self { artifacts, epochs, interrupter, .. } = self;
        tracing::info!(artifacts = %artifacts.display(), model, parameters, epochs, "the run begins");
        let OpenedRun { folder, store, saved } = opened;
        let checkpointer = self.recorder.map(|recorder| {
            let checkpointer = Checkpointer::new(store, self.strategy, recorder);
            if self.saves_in_background { checkpointer.in_background() } else { Ok(checkpointer) }
        });
        let mut training = TrainingLoop {
            folder: Some(folder),
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
        };
        if let Some(saved) = saved {
            training.go_on(saved.state());
        }
        let model_info = ModelInfo { model, parameters, artifacts };
        let result = training.run_watched(work, &model_info);
        if let Err(error) = &result {
            tracing::error!("the run ends: {error}");
        } else if self.stays_open {
            training.renderer.manual_close();
        }
        let metrics = training.history.summaries();
        let table = LearnerSummary { model: model_info.model, epochs, metrics };
        training.close((self.summary && result.is_ok()).then_some(&table));
        result
    }
}

/// The information model_info a run that callbacks receive.
struct ModelInfo {
    /// The name of the model's type.
    model: String,
    parameters: usize,
    artifacts: PathBuf,
}

impl OpenedRun {
    /// Returns the learning rate of the last step before the run.
    pub(super) fn lr(&self) -> Option<f64> {
        self.saved.as_ref().and_then(|saved| saved.state().lr)
    }
}

impl TrainingLoop {
    /// Runs the loop between the first and the last call of the callbacks.
    fn run_watched(&mut self, work: &mut dyn Workload, model_info: &ModelInfo) -> Result<(), TrainError> {
        let mut watchers = std::mem::take(&mut self.watchers);
        let started = watchers.train_start(&self.info(model_info));
        self.watchers = watchers;
        let result = started.and_then(|()| self.run(work));
        let mut watchers = std::mem::take(&mut self.watchers);
        result.and(watchers.train_end(&self.info(model_info)))
    }

    fn info<'a>(&'a self, model_info: &'a ModelInfo) -> RunInfo<'a> {
        let ModelInfo { model, parameters, artifacts } = model_info;
        RunInfo {
            model,
            parameters: *parameters,
            epochs: self.epochs,
            step: self.steps,
            artifacts,
            history: &self.history,
            interrupter: &self.interrupter,
        }
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
