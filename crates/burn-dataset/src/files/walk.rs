use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use crate::DatasetError;

/// Returns the subfolders of a folder, in order of name.
pub(super) fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let paths = entries(folder)?.into_iter().map(|entry| entry.path());
    Ok(paths.filter(|path| path.is_dir()).collect())
}

/// Returns the files with one of the extensions in a folder and the folders within, in order of name.
///
/// Links to folders are not followed: they may lead in circles.
pub(crate) fn files_in(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, DatasetError> {
    let mut files = Vec::new();
    add_files(folder, extensions, &mut files)?;
    Ok(files)
}

fn add_files(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> Result<(), DatasetError> {
    for entry in entries(folder)? {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_files(&path, extensions, files)?;
        } else if has_extension(&path, extensions) {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns whether a file has one of the extensions, which are written without a dot, in capitals or not.
pub(crate) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().unwrap_or_default();
    extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>, DatasetError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.map_err(|source| DatasetError::Io { path: folder.to_owned(), source })?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}
