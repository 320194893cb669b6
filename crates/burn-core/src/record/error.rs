use super::{KeyPath, RecordMismatch};
use crate::tensor::TensorError;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt::{Display, Formatter};

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
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
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

impl RecordMismatch {
    /// Returns `Ok` if nothing differs.
    pub fn into_result(self) -> Result<(), RecordError> {
        if self.is_empty() { Ok(()) } else { Err(self.into()) }
    }

    /// Creates the error for a missing value at `at`.
    pub fn missing(at: &KeyPath<'_>) -> RecordError {
        RecordMismatch { missing: [at.to_string()].into(), ..Self::default() }.into()
    }

    /// Creates the error for a value at `at` of another type or out of range.
    pub fn value(at: &KeyPath<'_>, cause: impl Into<String>) -> RecordError {
        RecordMismatch { values: [(at.to_string(), cause.into())].into(), ..Self::default() }.into()
    }
}

impl From<RecordMismatch> for RecordError {
    fn from(mismatch: RecordMismatch) -> Self {
        RecordError::Mismatch(Box::new(mismatch))
    }
}

/// Converts a tensor error into a record error, without the source line of this crate that raised it.
pub(super) fn tensor_error(at: &KeyPath<'_>, error: &TensorError) -> RecordError {
    RecordMismatch::value(at, error.call().map_or_else(|| error.to_string(), ToString::to_string))
}
