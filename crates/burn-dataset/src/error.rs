use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a dataset could not be opened, or an item of it not be read.
#[non_exhaustive]
pub enum DatasetError {
    /// A file could not be read or written.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file is nowhere that was looked.
    Missing {
        /// The file.
        file: String,
        /// The folders that were searched.
        searched: Vec<PathBuf>,
        /// How to get it.
        advice: String,
    },
    /// A file is there, but does not hold what it should.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Expected and found content.
        reason: String,
        /// How to get a good one.
        advice: String,
    },
    /// An item has a class that is not among the classes of the dataset.
    UnknownClass {
        /// The file of the item.
        path: PathBuf,
        /// The class.
        class: String,
        /// The classes of the dataset.
        classes: Vec<String>,
    },
    /// The dataset returned no item for an index below its length.
    NoItem {
        /// The index.
        index: usize,
        /// The length of the dataset.
        len: usize,
    },
    /// One of many items could not be read.
    Item {
        /// The index of the item.
        index: usize,
        /// Why it could not.
        source: Box<DatasetError>,
    },
    /// A file or folder has no split of this name.
    NoSplit {
        /// The file or folder.
        path: PathBuf,
        /// The split that was asked for.
        split: String,
        /// The splits that are there.
        splits: Vec<String>,
    },
    /// A dataset has a split in several subsets, and none or an unknown one was chosen.
    #[cfg(feature = "huggingface")]
    NoSubset {
        /// The folder or the address.
        path: PathBuf,
        /// The split that was asked for.
        split: String,
        /// The subset that was asked for.
        subset: Option<String>,
        /// The subsets that have the split.
        subsets: Vec<String>,
    },
    /// The rows of a file are not items of the type that was asked for.
    WrongItem {
        /// The file.
        path: PathBuf,
        /// The split or table.
        split: String,
        /// The type of the items that were asked for.
        expected: &'static str,
        /// The fields or columns that the file has.
        columns: Vec<String>,
        /// Description of the mismatch.
        reason: String,
    },
    /// A row of a data frame is not an item of the type that was asked for.
    #[cfg(feature = "dataframe")]
    WrongRow {
        /// The index of the row.
        row: usize,
        /// The type of the items that were asked for.
        expected: &'static str,
        /// The columns of the data frame.
        columns: Vec<String>,
        /// Description of the mismatch.
        reason: String,
    },
    /// A line of a file of JSON lines is not an item.
    #[cfg(feature = "json")]
    Json {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The reason.
        source: serde_json::Error,
    },
    /// A database could not be read or written.
    #[cfg(feature = "sqlite")]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Error of SQLite.
        source: rusqlite::Error,
    },
    /// The items are too many for an order of them to be in memory, eight bytes an item.
    TooManyItems {
        /// The number of items.
        items: usize,
    },
    /// Error of a dataset outside this crate, from its
    /// [`try_get`](crate::Dataset::try_get).
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// A file could not be downloaded.
    #[cfg(feature = "download")]
    Download {
        /// The address.
        url: String,
        /// Cause of the failure.
        reason: String,
        /// How to get it otherwise.
        advice: String,
    },
    /// A CSV file has a row that is not an item.
    #[cfg(feature = "csv")]
    Csv {
        /// The file.
        path: PathBuf,
        /// The row and the reason.
        source: csv::Error,
    },
}

impl fmt::Display for DatasetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Missing { file, searched, advice } => {
                write!(f, "{file} was not found in ")?;
                for (position, folder) in searched.iter().enumerate() {
                    let separator = if position == 0 { "" } else { ", " };
                    write!(f, "{separator}{}", folder.display())?;
                }
                write!(f, ". {advice}")
            }
            Self::Damaged { path, reason, advice } => {
                write!(f, "{} is damaged: {reason}. {advice}", path.display())
            }
            Self::UnknownClass { path, class, classes } => {
                write!(f, "{}: the class `{class}` is not among the classes {classes:?}", path.display())
            }
            Self::NoItem { index, len } => {
                write!(f, "the dataset has no item at index {index}, below its length {len}")
            }
            Self::Item { index, source } => write!(f, "the item at index {index}: {source}"),
            Self::NoSplit { path, split, splits } => {
                write!(f, "{} has no split `{split}`; it has {splits:?}", path.display())
            }
            #[cfg(feature = "huggingface")]
            Self::NoSubset { path, split, subset: Some(subset), subsets } => write!(
                f,
                "{} has no subset `{subset}` with the split `{split}`; it has {subsets:?}",
                path.display()
            ),
            #[cfg(feature = "huggingface")]
            Self::NoSubset { path, split, subset: None, subsets } => write!(
                f,
                "{} has the split `{split}` in the subsets {subsets:?}. Choose one by `with_subset`",
                path.display()
            ),
            Self::WrongItem { path, split, expected, columns, reason } => write!(
                f,
                "{}: the rows of `{split}` are not items of type `{expected}`: {reason}; its columns are {columns:?}",
                path.display()
            ),
            #[cfg(feature = "dataframe")]
            Self::WrongRow { row, expected, columns, reason } => write!(
                f,
                "row {row} of the data frame is not an item of type `{expected}`: {reason}; its columns are {columns:?}"
            ),
            #[cfg(feature = "json")]
            Self::Json { path, line, source } => write!(f, "{}, line {line}: {source}", path.display()),
            #[cfg(feature = "sqlite")]
            Self::Sqlite { path, source } => write!(f, "{}: {source}", path.display()),
            Self::TooManyItems { items } => {
                write!(
                    f,
                    "no memory is left for the order of {items} items. Leave them in order, or shuffle parts"
                )
            }
            Self::Other(error) => error.fmt(f),
            #[cfg(feature = "download")]
            Self::Download { url, reason, advice } => write!(f, "cannot download {url}: {reason}. {advice}"),
            #[cfg(feature = "csv")]
            Self::Csv { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

burn_ir::debug_as_display!(DatasetError);

impl std::error::Error for DatasetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            #[cfg(feature = "csv")]
            Self::Csv { source, .. } => Some(source),
            #[cfg(feature = "json")]
            Self::Json { source, .. } => Some(source),
            #[cfg(feature = "sqlite")]
            Self::Sqlite { source, .. } => Some(source),
            Self::Item { source, .. } => Some(source),
            Self::Other(error) => error.source(),
            Self::Missing { .. }
            | Self::Damaged { .. }
            | Self::UnknownClass { .. }
            | Self::NoItem { .. }
            | Self::NoSplit { .. }
            | Self::WrongItem { .. }
            | Self::TooManyItems { .. } => None,
            #[cfg(feature = "huggingface")]
            Self::NoSubset { .. } => None,
            #[cfg(feature = "dataframe")]
            Self::WrongRow { .. } => None,
            #[cfg(feature = "download")]
            Self::Download { .. } => None,
        }
    }
}
