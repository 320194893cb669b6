//! Datasets and data loaders.

pub use burn_dataset::dataloader;

/// Datasets, their sources and their transforms.
pub mod dataset {
    pub use burn_dataset::{
        Dataset, DatasetError, DatasetIterator, InMemDataset, IterableDataset, TryDatasetIterator, random,
        source, transform, vision,
    };
}
