use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a log could not be written or read.
#[non_exhaustive]
pub enum LogError {
    /// A file or folder could not be used.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A line is not what the metric writes.
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Reason, as a phrase.
        reason: String,
    },
    /// A logger of the user's own failed.
    Other(String),
}

impl LogError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Io { path: path.into(), source }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Line { path, line, reason } => write!(f, "{} line {line}: {reason}", path.display()),
            Self::Other(message) => f.write_str(message),
        }
    }
}

burn_core::tensor::debug_as_display!(LogError);

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Line { .. } | Self::Other(_) => None,
        }
    }
}
