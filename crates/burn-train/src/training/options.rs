use super::training_loop::{Loggers, Start, TrainingLoop};
use super::tree_file::TreeFile;
use super::workload::Workload;
use crate::TrainError;
use crate::checkpoint::{
    CheckpointState, CheckpointStore, Checkpointer, CheckpointingStrategy, KeepLastNCheckpoints,
    SavedCheckpoint,
};
use crate::history::{LearnerSummary, MetricHistory};
use crate::logger::{ApplicationLoggerInstaller, FileApplicationLogger, FileMetricLogger, LogError};
use crate::renderer::{Interrupter, MetricsRenderer, default_renderer};
use std::path::{Path, PathBuf};

/// What the user chose, as far as it knows no types.
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
    pub(super) continues_on_nan: bool,
}

/// Which checkpoint a run begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resume {
    No,
    Epoch(usize),
    Newest,
}

/// The checkpoints of a run that is about to begin.
pub(super) struct Opened {
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
            continues_on_nan: false,
        }
    }

    /// Makes the folder, begins the log, and finds the checkpoint to begin with.
    pub(super) fn open(&self) -> Result<Opened, TrainError> {
        let io = |source| LogError::Io { path: self.artifacts.clone(), source };
        std::fs::create_dir_all(&self.artifacts).map_err(io)?;
        if let Some(Err(error)) = self.application_logger.as_ref().map(|logger| logger.install()) {
            tracing::warn!("the log of the program cannot be kept: {error}");
        }
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
        Ok(Opened { store, saved })
    }

    /// Runs the loop. A run that begins anew takes `seed`, another one that of its checkpoint.
    pub(super) fn run(
        self,
        opened: Opened,
        work: &mut dyn Workload,
        seed: u64,
        about: About,
    ) -> Result<(), TrainError> {
        let About { model, parameters, saves } = about;
        let Self { artifacts, epochs, interrupter, .. } = self;
        tracing::info!(artifacts = %artifacts.display(), model, parameters, epochs, "the run begins");
        let mut training = TrainingLoop {
            epochs,
            start: Start { epoch: 1, batches: 0 },
            seed,
            lr: None,
            history: MetricHistory::default(),
            renderer: self.renderer.unwrap_or_else(|| default_renderer(&interrupter)),
            interrupter,
            loggers: self.loggers,
            checkpointer: saves.then(|| Checkpointer::new(opened.store, self.strategy)),
            continues_on_nan: self.continues_on_nan,
        };
        if let Some(saved) = opened.saved {
            training.go_on(saved.state());
        }
        let result = training.run(work);
        if let Err(error) = &result {
            tracing::error!("the run ends: {error}");
        } else if self.stays_open {
            training.renderer.manual_close();
        }
        let metrics = training.history.summaries();
        let table = LearnerSummary { model, epochs, metrics };
        training.close((self.summary && result.is_ok()).then_some(&table));
        result
    }
}

/// What is said about a run.
pub(super) struct About {
    /// The name of the model's type.
    pub(super) model: String,
    pub(super) parameters: usize,
    /// Whether checkpoints are saved.
    pub(super) saves: bool,
}

impl Opened {
    /// Returns the learning rate of the last step before the run.
    pub(super) fn lr(&self) -> Option<f64> {
        self.saved.as_ref().and_then(|saved| saved.state().lr)
    }
}

impl TrainingLoop {
    /// Begins where a checkpoint ends.
    fn go_on(&mut self, state: &CheckpointState) {
        self.start = match state.batches {
            None => Start { epoch: state.epoch + 1, batches: 0 },
            Some(batches) => Start { epoch: state.epoch, batches },
        };
        self.seed = state.seed;
        self.lr = state.lr;
        self.history = state.history.clone();
        tracing::info!(epoch = self.start.epoch, batches = self.start.batches, "the run goes on");
    }
}
