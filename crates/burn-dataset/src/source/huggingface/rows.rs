use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cell::ReceiveRow;
use super::columns::ColumnNames;
use super::csv_rows::CsvColumns;
use super::data_files::Format;
use super::{csv_rows, json_rows, parquet_rows};
use crate::DatasetError;

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
    Ok(columns.into_names())
}
