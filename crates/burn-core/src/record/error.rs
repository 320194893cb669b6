use super::RecordMismatch;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::{Display, Formatter, Result};

/// Error of saving or loading a record.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum RecordError {
    /// The file could not be read or written.
    File { path: String, cause: String },
    /// The bytes are not what the recorder writes: another format, truncated or damaged.
    Format { recorder: &'static str, cause: String },
    /// The record is well formed, but not one of this type: another architecture.
    Mismatch(Box<RecordMismatch>),
    /// A number does not fit the precision that the recorder writes.
    Precision { key: String, cause: String },
    /// An error about what `path` holds.
    In { path: String, error: Box<RecordError> },
}

impl RecordError {
    /// Adds the context of the file at `path`.
    #[must_use]
    pub fn in_file(self, path: impl Into<String>) -> Self {
        match self {
            RecordError::File { .. } | RecordError::In { .. } => self,
            RecordError::Format { .. } | RecordError::Mismatch(_) | RecordError::Precision { .. } => {
                RecordError::In { path: path.into(), error: Box::new(self) }
            }
        }
    }

    /// Adds shape mismatches to this error, if it is a mismatch.
    #[cfg(feature = "std")]
    pub(crate) fn and_shapes(self, shapes: RecordMismatch) -> Self {
        match self {
            RecordError::Mismatch(mut mismatch) => {
                mismatch.merge(shapes);
                (*mismatch).into()
            }
            other => other,
        }
    }

    /// Returns the mismatch, if the record is well formed but of another architecture.
    pub fn mismatch(&self) -> Option<&RecordMismatch> {
        match self {
            RecordError::Mismatch(mismatch) => Some(mismatch),
            RecordError::In { error, .. } => error.mismatch(),
            RecordError::File { .. } | RecordError::Format { .. } | RecordError::Precision { .. } => None,
        }
    }
}

impl Display for RecordError {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            RecordError::File { path, cause } => write!(f, "`{path}`: {cause}"),
            RecordError::Format { recorder, cause } => write!(f, "{recorder}: {cause}"),
            RecordError::Mismatch(mismatch) => mismatch.fmt(f),
            RecordError::Precision { key, cause } => write!(f, "{key}: {cause}"),
            RecordError::In { path, error } => write!(f, "`{path}`: {error}"),
        }
    }
}

burn_tensor::debug_as_display!(RecordError);

impl core::error::Error for RecordError {}
