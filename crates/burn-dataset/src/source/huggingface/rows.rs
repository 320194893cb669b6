use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cell::Row;
use super::csv_rows::CsvColumns;
use super::data_files::Format;
use super::{csv_rows, json_rows, parquet_rows};
use crate::DatasetError;

/// Takes rows one by one, and ends the reading by an error.
pub(super) type ReceiveRow<'a> = dyn FnMut(Row) -> Result<(), DatasetError> + 'a;

/// Reads the rows of files, one file after the other. The columns are those of all files; a file that lacks
/// one has nothing in it.
pub(super) fn read_rows(
    format: Format,
    files: &[PathBuf],
    receive: &mut ReceiveRow<'_>,
) -> Result<(), DatasetError> {
    match format {
        Format::Parquet => {
            let columns = all_columns(files, &mut |file, columns| parquet_rows::add_columns(file, columns))?;
            files.iter().try_for_each(|file| parquet_rows::read(file, &columns, receive))
        }
        Format::JsonLines => {
            let columns = all_columns(files, &mut |file, columns| json_rows::add_columns(file, columns))?;
            files.iter().try_for_each(|file| json_rows::read(file, &columns, receive))
        }
        Format::Csv { delimiter } => {
            let mut columns = CsvColumns::default();
            files.iter().try_for_each(|file| columns.add(file, delimiter))?;
            let names = columns.names();
            files.iter().try_for_each(|file| csv_rows::read(file, delimiter, &columns, &names, receive))
        }
    }
}

fn all_columns(
    files: &[PathBuf],
    add: &mut dyn FnMut(&Path, &mut ColumnNames) -> Result<(), DatasetError>,
) -> Result<Arc<[String]>, DatasetError> {
    let mut columns = ColumnNames::default();
    files.iter().try_for_each(|file| add(file, &mut columns))?;
    Ok(columns.0.into())
}

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
}

/// The most columns of a table of SQLite.
pub(super) const MOST_COLUMNS: usize = 2000;

/// A data file that is not as its name says.
pub(super) fn damaged(file: &Path, reason: String) -> DatasetError {
    let advice = "Fetch it again, or take it out of the folder".to_owned();
    DatasetError::Damaged { path: file.to_owned(), reason, advice }
}
