use std::path::Path;
use std::sync::Arc;

use crate::DatasetError;

/// Names of columns in the order in which they were first seen.
#[derive(Debug, Default)]
pub(super) struct ColumnNames(Vec<String>);

impl ColumnNames {
    /// Adds a name if it is not there yet.
    ///
    /// # Errors
    /// If there would be more columns than a table of SQLite can have.
    pub(super) fn add(&mut self, file: &Path, name: &str) -> Result<(), DatasetError> {
        if self.0.iter().any(|known| known == name) {
            return Ok(());
        }
        if self.0.len() == MOST_COLUMNS {
            return Err(damaged(file, format!("it has more than {MOST_COLUMNS} columns")));
        }
        self.0.push(name.to_owned());
        Ok(())
    }

    pub(super) fn into_names(self) -> Arc<[String]> {
        self.0.into()
    }
}

/// The most columns of a table of SQLite.
pub(super) const MOST_COLUMNS: usize = 2000;

/// A data file that is not as its name says.
pub(super) fn damaged(file: &Path, reason: String) -> DatasetError {
    let advice = "Fetch it again, or take it out of the folder".to_owned();
    DatasetError::Damaged { path: file.to_owned(), reason, advice }
}
