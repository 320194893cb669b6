use crate::Split;
use crate::checkpoint::CheckpointError;
use crate::logger::LogError;
use burn_dataset::dataloader::DataLoaderError;
use std::fmt;
use std::path::PathBuf;

/// Why a run ended before its last epoch. The checkpoints that were saved before stay.
#[non_exhaustive]
pub enum TrainError {
    /// A batch could not be made.
    Data {
        /// The phase of the epoch.
        split: Split,
        /// The epoch, from 1.
        epoch: usize,
        /// Cause, with the index of the item.
        source: DataLoaderError,
    },
    /// A checkpoint could not be saved or loaded.
    Checkpoint(CheckpointError),
    /// Metrics could not be logged.
    Log(LogError),
    /// A numeric metric is NaN, and the [`NanPolicy`](crate::NanPolicy) does not go on.
    Nan {
        /// The phase of the epoch.
        split: Split,
        /// The epoch, from 1.
        epoch: usize,
        /// The batch of the epoch, from 1.
        iteration: usize,
        /// The name of the metric.
        metric: String,
    },
    /// A checkpoint would have held NaN; those that were there stay.
    /// [`NanPolicy::Continue`](crate::NanPolicy::Continue) goes on without it.
    NanCheckpoint {
        /// The epoch, from 1.
        epoch: usize,
        /// The part and the key: `model: linear.weight`.
        key: String,
    },
    /// The data has no batch.
    NoBatches {
        /// The phase.
        split: Split,
        /// The epoch, from 1.
        epoch: usize,
    },
    /// All batches of an epoch were skipped, by [`NanPolicy::Skip`](crate::NanPolicy::Skip).
    AllSkipped {
        /// The epoch, from 1.
        epoch: usize,
    },
    /// Early stopping, a checkpoint strategy or a scheduler asks for a numeric metric that the run does not
    /// have.
    UnknownMetric {
        /// The option that asks for it: `early stopping`.
        user: &'static str,
        /// The phase of the metric.
        split: Split,
        /// The name that was asked for.
        name: String,
        /// The names of the numeric metrics of the phase.
        names: Vec<String>,
    },
    /// Another run has the artifact folder.
    FolderInUse {
        /// The folder.
        folder: PathBuf,
        /// The process of the other run: `process 123 on host`.
        owner: String,
    },
    /// The ranks of a run could not go on together: one of them ended, failed, or has another model. The
    /// source names rank and collective.
    Ranks(Box<dyn std::error::Error + Send + Sync>),
    /// A [callback](crate::callback::TrainingCallback) failed.
    Callback(Box<dyn std::error::Error + Send + Sync>),
    /// The learner was built for something that it cannot do.
    Unsupported(String),
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data { split, epoch, source } => {
                write!(f, "{} data of epoch {epoch}: {source}", split.folder())
            }
            Self::Checkpoint(error) => write!(f, "checkpoint: {error}"),
            Self::Log(error) => write!(f, "metric log: {error}"),
            Self::Nan { split, epoch, iteration, metric } => write!(
                f,
                "{} of epoch {epoch}, iteration {iteration}: the metric `{metric}` is NaN. Lower the learning rate, clip \
                 gradients or look for divisions by zero; `LearnerBuilder::nan_policy` may go on or skip batches",
                split.folder()
            ),
            Self::NanCheckpoint { epoch, key } => write!(
                f,
                "checkpoint of epoch {epoch}: {key} is NaN, so it is not saved and earlier checkpoints stay. \
                 `LearnerBuilder::nan_policy(NanPolicy::Continue)` goes on without it"
            ),
            Self::NoBatches { split, epoch } => {
                let split = split.folder();
                write!(f, "{split} data of epoch {epoch}: there is no batch; a run needs one item at least")
            }
            Self::AllSkipped { epoch } => write!(
                f,
                "train data of epoch {epoch}: the gradients of every batch are infinite or NaN, so nothing was learnt. Lower \
                 the learning rate, or look for NaN in the data"
            ),
            Self::UnknownMetric { user, split, name, names } => {
                let folder = split.folder();
                write!(f, "{user}: there is no numeric metric `{name}` of the {folder} phase; expected ")?;
                match names.as_slice() {
                    [] => f.write_str("one that the run has, which are none")?,
                    names => write!(f, "one of `{}`", names.join("`, `"))?,
                }
                write!(
                    f,
                    ", got `{name}`. Add it with `LearnerBuilder::metric_{folder}_numeric`, or correct its name"
                )
            }
            Self::FolderInUse { folder, owner } => write!(
                f,
                "artifact folder `{}`: it is in use; expected a folder that no other run writes to, got one of {owner}. Give \
                 this run another folder, or wait for the end of that process",
                folder.display()
            ),
            Self::Ranks(error) => write!(f, "ranks: {error}"),
            Self::Callback(error) => write!(f, "callback: {error}"),
            Self::Unsupported(message) => f.write_str(message),
        }
    }
}

burn_core::tensor::debug_as_display!(TrainError);

impl std::error::Error for TrainError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Data { source, .. } => Some(source),
            Self::Checkpoint(error) => Some(error),
            Self::Log(error) => Some(error),
            Self::Ranks(error) | Self::Callback(error) => Some(&**error),
            Self::Nan { .. }
            | Self::NanCheckpoint { .. }
            | Self::NoBatches { .. }
            | Self::AllSkipped { .. }
            | Self::UnknownMetric { .. }
            | Self::FolderInUse { .. }
            | Self::Unsupported(_) => None,
        }
    }
}

impl From<CheckpointError> for TrainError {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(error)
    }
}

impl From<LogError> for TrainError {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}
