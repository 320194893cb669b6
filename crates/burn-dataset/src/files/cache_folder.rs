use std::env;
use std::path::PathBuf;

use crate::DatasetError;

/// Returns the folder `~/.cache/burn-dataset/<name>`, in which the files of a dataset are kept.
///
/// # Errors
/// If there is no home folder; `variable` is what names the folder otherwise.
pub(crate) fn cache_folder(name: &str, variable: &str) -> Result<PathBuf, DatasetError> {
    let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let home = home.ok_or_else(|| DatasetError::Missing {
        file: format!("the home folder, for the cache of {name},"),
        searched: vec![],
        advice: format!("Set {variable} to a folder with the files"),
    })?;
    Ok(home.join(".cache").join("burn-dataset").join(name))
}

/// Returns the folder that an environment variable names, or else the cache of a dataset.
///
/// # Errors
/// If there is neither.
pub(crate) fn folder_from_environment(name: &str, variable: &str) -> Result<PathBuf, DatasetError> {
    match env::var_os(variable).filter(|folder| !folder.is_empty()) {
        Some(folder) => Ok(folder.into()),
        None => cache_folder(name, variable),
    }
}

/// Returns the path of a file in the first of some folders that has it.
///
/// # Errors
/// If none has it; `advice` says how to get it.
pub(crate) fn find_file(file: &str, folders: Vec<PathBuf>, advice: &str) -> Result<PathBuf, DatasetError> {
    match folders.iter().map(|folder| folder.join(file)).find(|path| path.is_file()) {
        Some(path) => Ok(path),
        None => {
            Err(DatasetError::Missing { file: file.to_owned(), searched: folders, advice: advice.to_owned() })
        }
    }
}
