use crate::record::{RecordError, RecordMismatch};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Display, Formatter, Result};

/// The outcome of loading weights: what was loaded, and what did not fit, by path.
///
/// Paths of [`loaded`](Self::loaded) and of missing, mismatched and wrong parameters are those of the module;
/// unexpected tensors have the names of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {
    /// Parameters that have values of the file now.
    pub loaded: Vec<String>,
    /// Parameters that the file has nothing for, tensors that no parameter took, and those of another shape
    /// or type.
    pub mismatch: RecordMismatch,
}

impl LoadReport {
    /// Returns whether every parameter was loaded and every tensor of the file was used.
    pub fn is_complete(&self) -> bool {
        self.mismatch.is_empty()
    }

    /// Returns this report, if it is complete.
    ///
    /// # Errors
    /// Something is missing, unexpected or of another shape or type.
    pub fn into_result(self) -> core::result::Result<Self, RecordError> {
        if self.is_complete() { Ok(self) } else { Err(self.mismatch.into()) }
    }
}

impl Display for LoadReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let failed = self.mismatch.missing.len() + self.mismatch.shapes.len() + self.mismatch.values.len();
        write!(f, "{} of {} parameters loaded", self.loaded.len(), self.loaded.len() + failed)?;
        self.mismatch.fmt_differences(f)
    }
}
