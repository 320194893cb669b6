use crate::Split;
use crate::checkpoint::CheckpointError;
use crate::logger::LogError;
use burn_dataset::dataloader::DataLoaderError;
use std::fmt;

/// Why a run ended before its last epoch. The checkpoints that were saved before stay.
#[derive(Debug)]
#[non_exhaustive]
pub enum TrainError {
    /// A batch could not be made.
    Data {
        /// The side of the epoch.
        split: Split,
        /// The epoch, from 1.
        epoch: usize,
        /// What is wrong, with the index of the item.
        source: DataLoaderError,
    },
    /// A checkpoint could not be saved or loaded.
    Checkpoint(CheckpointError),
    /// What the metrics say could not be logged.
    Log(LogError),
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
            Self::Unsupported(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for TrainError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Data { source, .. } => Some(source),
            Self::Checkpoint(error) => Some(error),
            Self::Log(error) => Some(error),
            Self::Unsupported(_) => None,
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
