use std::io::{self, Read};
use std::path::{Path, PathBuf};

use burn_io::Bounded;

use crate::files::{Classes, LabelledFiles};
use crate::{Dataset, DatasetError};

/// The most bytes of a text.
const LONGEST_TEXT: u64 = 64 << 20;

/// Text files in UTF-8, read when they are asked for.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::text::TextFolderDataset;
///
/// let root = tempfile::tempdir()?;
/// for (class, text) in [("ham", "See you at six."), ("spam", "You have won!")] {
///     std::fs::create_dir(root.path().join(class))?;
///     std::fs::write(root.path().join(class).join("1.txt"), text)?;
/// }
/// let messages = TextFolderDataset::new_classification(root.path())?;
/// assert_eq!(messages.classes(), ["ham", "spam"]);
/// let second = messages.get(1).unwrap();
/// assert_eq!((second.text.as_str(), second.label), ("You have won!", Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextFolderDataset(LabelledFiles<Option<usize>>);

/// A text of a [`TextFolderDataset`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFolderItem {
    /// The content of the file.
    pub text: String,
    /// The class, a position in the list of classes, where there are classes.
    pub label: Option<usize>,
    /// The file of the text.
    pub path: PathBuf,
}

impl TextFolderDataset {
    /// Opens a folder with one subfolder for each class, named after it; the texts are the files `*.txt` in
    /// and below it.
    ///
    /// Classes, and texts within a class, come in order of name.
    ///
    /// # Errors
    /// If a folder cannot be read, or a class has no text.
    pub fn new_classification<P: AsRef<Path>>(root: P) -> Result<Self, DatasetError> {
        Self::new_classification_with(root, &["txt"])
    }

    /// Opens a folder as [`new_classification`](Self::new_classification) does, for files with other
    /// extensions.
    ///
    /// # Errors
    /// As [`new_classification`](Self::new_classification).
    pub fn new_classification_with<P: AsRef<Path>>(
        root: P,
        extensions: &[&str],
    ) -> Result<Self, DatasetError> {
        LabelledFiles::in_class_folders(root.as_ref(), extensions, "a text file", Some).map(Self)
    }

    /// Opens the files with one of the extensions in a folder and the folders within, without classes.
    ///
    /// # Errors
    /// If a folder cannot be read or there is no such file.
    pub fn new_unlabelled<P: AsRef<Path>>(root: P, extensions: &[&str]) -> Result<Self, DatasetError> {
        let kind = format!("a file with one of the extensions {extensions:?}");
        let advice = "Name the folder of the texts, and their extensions without the dot";
        LabelledFiles::unlabelled(root.as_ref(), extensions, kind, advice).map(Self)
    }

    /// Takes a list of files, each with the name of its class.
    ///
    /// # Errors
    /// If an item has a class that is not in `classes`.
    pub fn new_classification_with_items<P: AsRef<Path>, S: AsRef<str>>(
        items: Vec<(P, String)>,
        classes: &[S],
    ) -> Result<Self, DatasetError> {
        let label = |classes: &Classes<'_>, class: String| classes.position(&class).map(Some);
        LabelledFiles::from_items(items, classes, label).map(Self)
    }

    /// Returns the names of the classes; a label is a position in this list.
    pub fn classes(&self) -> &[String] {
        &self.0.classes
    }
}

fn read(path: &Path) -> Result<String, DatasetError> {
    let mut text = String::new();
    let read =
        burn_io::open_file(path).and_then(|file| Bounded::new(file, LONGEST_TEXT).read_to_string(&mut text));
    match read {
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(DatasetError::Damaged {
            path: path.to_owned(),
            reason: "it is not UTF-8 text".to_owned(),
            advice: "Convert it, or take it out of the dataset".to_owned(),
        }),
        Err(source) => Err(DatasetError::Io { path: path.to_owned(), source }),
    }
}

impl Dataset<TextFolderItem> for TextFolderDataset {
    fn get(&self, index: usize) -> Option<TextFolderItem> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<TextFolderItem>, DatasetError> {
        let Some((path, label)) = self.0.get(index) else { return Ok(None) };
        read(path).map(|text| Some(TextFolderItem { text, label: *label, path: path.to_owned() }))
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn texts_are_found_by_their_extension() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in
            [("b/1.txt", "one"), ("a/deep/2.TXT", "two"), ("a/3.md", "three"), ("4.txt", "four")]
        {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let texts = |dataset: TextFolderDataset| -> Vec<(String, Option<usize>)> {
            dataset.iter().map(|item| (item.text, item.label)).collect()
        };
        let dataset = TextFolderDataset::new_classification(root.path()).unwrap();
        assert_eq!(dataset.classes(), ["a", "b"]);
        assert_eq!(texts(dataset), [("two".to_owned(), Some(0)), ("one".to_owned(), Some(1))]);
        let unlabelled = TextFolderDataset::new_unlabelled(root.path(), &["txt", "md"]).unwrap();
        assert_eq!(unlabelled.len(), 4);
        let error = TextFolderDataset::new_classification_with(root.path(), &["md"]).unwrap_err().to_string();
        assert!(error.contains("a text file was not found in") && error.contains("/b."), "{error}");
        assert!(TextFolderDataset::new_unlabelled(root.path(), &["rst"]).is_err());
    }

    #[test]
    fn a_file_that_is_no_text_is_named() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.txt");
        fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
        let items = vec![(path.clone(), "a".to_owned()), (root.path().join("gone"), "a".to_owned())];
        let dataset = TextFolderDataset::new_classification_with_items(items, &["a"]).unwrap();
        let error = |index| dataset.try_get(index).unwrap_err().to_string();
        assert!(error(0).contains("x.txt is damaged: it is not UTF-8 text"), "{}", error(0));
        assert!(error(1).contains("gone: "), "{}", error(1));
        let unknown = TextFolderDataset::new_classification_with_items(vec![(&path, "b".to_owned())], &["a"]);
        assert!(unknown.unwrap_err().to_string().contains("`b`"));
    }
}
