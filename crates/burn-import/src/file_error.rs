use burn_core::record::RecordError;
use std::path::Path;

/// Creates the error for a file at `path` that cannot be read or written.
pub fn file_error(path: &Path, cause: impl ToString) -> RecordError {
    RecordError::File { path: path.display().to_string(), cause: cause.to_string() }
}
