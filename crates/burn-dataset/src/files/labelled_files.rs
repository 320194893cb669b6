use std::path::{Path, PathBuf};

use super::walk::{files_in, subfolders};
use crate::DatasetError;

/// Files with a label each, and the names of the classes that labels are positions in.
#[derive(Clone, Debug)]
pub(crate) struct LabelledFiles<L> {
    pub(crate) items: Vec<(PathBuf, L)>,
    pub(crate) classes: Vec<String>,
}

impl<L> LabelledFiles<L> {
    /// Finds the files with one of the extensions in a folder that has one subfolder for each class, named
    /// after it. `label` makes labels of positions; `kind` says what the files are, for errors.
    ///
    /// # Errors
    /// If a folder cannot be read, has no such file, or there is no subfolder.
    pub(crate) fn in_class_folders(
        root: &Path,
        extensions: &[&str],
        kind: &str,
        label: fn(usize) -> L,
    ) -> Result<Self, DatasetError> {
        let (mut items, mut classes) = (Vec::new(), Vec::new());
        for (class, folder) in subfolders(root)?.into_iter().enumerate() {
            let found = files_in(&folder, extensions)?;
            if found.is_empty() {
                let advice = "Each subfolder is a class: fill this one, or take it away";
                return Err(missing(kind.to_owned(), folder, advice));
            }
            items.extend(found.into_iter().map(|path| (path, label(class))));
            classes.push(folder.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        if items.is_empty() {
            let advice = "Put the files of each class into a subfolder named after it";
            return Err(missing(format!("a subfolder with {kind}"), root.to_owned(), advice));
        }
        Ok(Self { items, classes })
    }

    /// Takes a list of files, whose labels `label` finds among the classes.
    ///
    /// # Errors
    /// If an item has a class that is not in `classes`.
    pub(crate) fn from_items<P: AsRef<Path>, T, S: AsRef<str>>(
        items: Vec<(P, T)>,
        classes: &[S],
        label: impl Fn(&Classes<'_>, T) -> Result<L, DatasetError>,
    ) -> Result<Self, DatasetError> {
        let classes: Vec<String> = classes.iter().map(|class| class.as_ref().to_owned()).collect();
        let labelled = |(path, value): (P, T)| {
            let path = path.as_ref().to_owned();
            let label = label(&Classes { path: &path, names: &classes }, value)?;
            Ok((path, label))
        };
        let items = items.into_iter().map(labelled).collect::<Result<_, _>>()?;
        Ok(Self { items, classes })
    }

    /// Returns a file and its label.
    pub(crate) fn get(&self, index: usize) -> Option<(&Path, &L)> {
        self.items.get(index).map(|(path, label)| (path.as_path(), label))
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

impl LabelledFiles<Option<usize>> {
    /// Finds the files with one of the extensions in a folder and the folders within, without classes.
    ///
    /// # Errors
    /// If a folder cannot be read or there is no such file, which the error calls `kind`.
    pub(crate) fn unlabelled(
        root: &Path,
        extensions: &[&str],
        kind: String,
        advice: &str,
    ) -> Result<Self, DatasetError> {
        let files = files_in(root, extensions)?;
        if files.is_empty() {
            return Err(missing(kind, root.to_owned(), advice));
        }
        Ok(Self { items: files.into_iter().map(|path| (path, None)).collect(), classes: Vec::new() })
    }
}

/// The names of classes, in which the label of a file is a position.
pub(crate) struct Classes<'a> {
    path: &'a Path,
    names: &'a [String],
}

impl Classes<'_> {
    /// Returns the label of a class.
    ///
    /// # Errors
    /// If there is no class of this name.
    pub(crate) fn position(&self, class: &str) -> Result<usize, DatasetError> {
        self.names.iter().position(|known| known == class).ok_or_else(|| DatasetError::UnknownClass {
            path: self.path.to_owned(),
            class: class.to_owned(),
            classes: self.names.to_vec(),
        })
    }
}

fn missing(file: String, folder: PathBuf, advice: &str) -> DatasetError {
    DatasetError::Missing { file, searched: vec![folder], advice: advice.to_owned() }
}
