//! Datasets and data loaders.

#[doc(inline)]
pub use burn_dataset::dataloader;

/// Datasets, their sources and their transforms.
pub mod dataset {
    #[cfg(feature = "dataframe")]
    pub use burn_dataset::DataframeDataset;
    #[cfg(feature = "huggingface")]
    pub use burn_dataset::HuggingfaceDatasetLoader;
    #[cfg(feature = "json")]
    pub use burn_dataset::JsonLinesDataset;
    #[cfg(feature = "audio")]
    #[doc(inline)]
    pub use burn_dataset::audio;
    #[doc(inline)]
    pub use burn_dataset::{
        Dataset, DatasetError, DatasetIterator, InMemDataset, IterableDataset, Receive, TryDatasetIterator,
        random, source, tabular, text, transform, vision,
    };
    #[cfg(feature = "sqlite")]
    pub use burn_dataset::{SqliteDataset, SqliteDatasetWriter};
}
