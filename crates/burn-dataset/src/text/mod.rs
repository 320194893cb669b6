//! Texts in files, and the news and encyclopedia entries that text classifiers are compared on.

#[cfg(feature = "csv")]
mod article;
mod folder;

#[cfg(feature = "csv")]
pub use article::{AgNewsDataset, Article, ArticleSplit, DbPediaDataset};
pub use folder::{TextFolderDataset, TextFolderItem};
