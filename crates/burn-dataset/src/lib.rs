//! Datasets, lazy transforms, batch loading and real data.
//!
//! A [`Dataset`] hands out items by index. [Transforms](transform) wrap datasets without touching
//! an item before it is asked for. A [data loader](dataloader) turns a dataset into batches, on
//! worker threads when asked, in an order that depends on the seed and the epoch alone.
//!
//! ```
//! use burn::data::dataloader::DataLoaderBuilder;
//! use burn::data::dataset::InMemDataset;
//!
//! let dataset = InMemDataset::new(vec![1, 2, 3, 4, 5]);
//! let loader = DataLoaderBuilder::new(|items: Vec<i32>| items.iter().sum::<i32>())
//!     .batch_size(2)
//!     .num_workers(2)
//!     .build(dataset);
//!
//! assert_eq!(loader.iter().collect::<Vec<_>>(), [3, 7, 5]);
//! ```
// Items carry the feature that they need, where rustdoc can do that: docs.rs and nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "audio")]
pub mod audio;
pub mod dataloader;
mod dataset;
mod error;
mod files;
mod iterable;
pub mod random;
pub mod source;
#[cfg(feature = "tabular")]
pub mod tabular;
pub mod text;
pub mod transform;
pub mod vision;

pub use dataset::{Dataset, DatasetIterator, Receive, TryDatasetIterator};
pub use error::DatasetError;
pub use iterable::IterableDataset;
#[cfg(feature = "dataframe")]
pub use source::DataframeDataset;
#[cfg(feature = "huggingface")]
pub use source::HuggingfaceDatasetLoader;
pub use source::InMemDataset;
#[cfg(feature = "json")]
pub use source::JsonLinesDataset;
#[cfg(feature = "sqlite")]
pub use source::{SqliteDataset, SqliteDatasetWriter};
