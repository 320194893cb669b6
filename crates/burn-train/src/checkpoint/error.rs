use burn_core::record::RecordError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a checkpoint could not be saved or loaded.
#[non_exhaustive]
pub enum CheckpointError {
    /// A file or folder could not be used.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// There is no complete checkpoint of the epoch.
    Missing {
        /// The epoch.
        epoch: usize,
        /// The folder of the checkpoints.
        folder: PathBuf,
        /// The epochs that have one.
        complete: Vec<usize>,
    },
    /// A file of a checkpoint is not as it was written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Reason, as a phrase.
        reason: String,
    },
    /// The recorder cannot save or load a part.
    Record(RecordError),
}

impl CheckpointError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Io { path: path.into(), source }
    }
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Missing { epoch, folder, complete } => {
                write!(f, "{} has no complete checkpoint of epoch {epoch}; ", folder.display())?;
                match complete.as_slice() {
                    [] => f.write_str("it has none at all"),
                    epochs => {
                        let epochs: Vec<String> = epochs.iter().map(usize::to_string).collect();
                        write!(f, "it has those of epoch {}", epochs.join(", "))
                    }
                }
            }
            Self::Damaged { path, reason } => write!(f, "{} is damaged: {reason}", path.display()),
            Self::Record(error) => error.fmt(f),
        }
    }
}

burn_core::tensor::debug_as_display!(CheckpointError);

impl std::error::Error for CheckpointError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Record(error) => Some(error),
            Self::Missing { .. } | Self::Damaged { .. } => None,
        }
    }
}

impl From<RecordError> for CheckpointError {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}
