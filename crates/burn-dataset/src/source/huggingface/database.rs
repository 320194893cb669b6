use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::cell::Row;
use super::data_files::Format;
use super::rows::read_rows;
use crate::DatasetError;
use crate::source::SqliteDatasetWriter;

/// Writes the rows of files as a split of a new database.
///
/// # Errors
/// If a file is not as its name says, the disk is full, or the rows have more bytes than `limit`; there is no
/// database then.
pub(super) fn write(
    path: &Path,
    split: &str,
    format: Format,
    files: &[PathBuf],
    limit: u64,
) -> Result<(), DatasetError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|source| DatasetError::Io { path: folder.to_owned(), source })?;
    }
    let mut writer = SqliteDatasetWriter::<Row>::new(path)?;
    let (mut size, mut rows) = (0, 0);
    read_rows(format, files, &mut |row| {
        size += row.size();
        if size > limit {
            return Err(too_large(path, &format!("the rows of `{split}`"), limit));
        }
        rows += 1;
        writer.write(split, &row)
    })?;
    if rows == 0 {
        writer.write_all(split, &crate::InMemDataset::new(Vec::new()))?;
    }
    writer.finish()
}

/// More bytes than the user permits.
pub(super) fn too_large(path: &Path, subject: &str, limit: u64) -> DatasetError {
    let reason = format!("{subject} have more than {limit} bytes; `with_size_limit` permits more");
    DatasetError::Io { path: path.to_owned(), source: io::Error::new(ErrorKind::FileTooLarge, reason) }
}
