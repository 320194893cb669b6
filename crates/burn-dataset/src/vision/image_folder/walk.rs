use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use crate::DatasetError;

const EXTENSIONS: [&str; 3] = ["jpg", "jpeg", "png"];

/// Returns the subfolders of a folder, in order of name.
pub(super) fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let paths = entries(folder)?.into_iter().map(|entry| entry.path());
    Ok(paths.filter(|path| path.is_dir()).collect())
}

/// Adds the images in a folder and the folders within, in order of name.
///
/// Links to folders are not followed: they may lead in circles.
pub(super) fn add_images(folder: &Path, images: &mut Vec<PathBuf>) -> Result<(), DatasetError> {
    for entry in entries(folder)? {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_images(&path, images)?;
        } else if is_image(&path) {
            images.push(path);
        }
    }
    Ok(())
}

fn is_image(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>, DatasetError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.map_err(|source| DatasetError::Io { path: folder.to_owned(), source })?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}
