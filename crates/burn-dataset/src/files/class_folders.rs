use std::path::{Path, PathBuf};

use super::walk::{files_in, subfolders};
use crate::DatasetError;

/// The files of a folder that has one subfolder for each class, named after it.
#[derive(Debug)]
pub(crate) struct ClassFolders {
    pub(crate) files: Vec<(PathBuf, usize)>,
    pub(crate) classes: Vec<String>,
}

impl ClassFolders {
    /// Finds the files with one of the extensions; `kind` says what they are, for errors.
    ///
    /// # Errors
    /// If a folder cannot be read, has no such file, or there is no subfolder.
    pub(crate) fn find(root: &Path, extensions: &[&str], kind: &str) -> Result<Self, DatasetError> {
        let (mut files, mut classes) = (Vec::new(), Vec::new());
        for (class, folder) in subfolders(root)?.into_iter().enumerate() {
            let found = files_in(&folder, extensions)?;
            if found.is_empty() {
                return Err(DatasetError::Missing {
                    file: kind.to_owned(),
                    searched: vec![folder],
                    advice: "Each subfolder is a class: fill this one, or take it away".to_owned(),
                });
            }
            files.extend(found.into_iter().map(|path| (path, class)));
            classes.push(folder.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        if files.is_empty() {
            return Err(DatasetError::Missing {
                file: format!("a subfolder with {kind}"),
                searched: vec![root.to_owned()],
                advice: "Put the files of each class into a subfolder named after it".to_owned(),
            });
        }
        Ok(Self { files, classes })
    }
}

/// The names of classes, in which a label is a position.
pub(crate) struct Classes(pub(crate) Vec<String>);

impl Classes {
    pub(crate) fn new<S: AsRef<str>>(classes: &[S]) -> Self {
        Self(classes.iter().map(|class| class.as_ref().to_owned()).collect())
    }

    /// Returns the label of the class of a file.
    pub(crate) fn position(&self, path: &Path, class: &str) -> Result<usize, DatasetError> {
        self.0.iter().position(|known| known == class).ok_or_else(|| DatasetError::UnknownClass {
            path: path.to_owned(),
            class: class.to_owned(),
            classes: self.0.clone(),
        })
    }
}
