//! Datasets, and loaders that make batches of their items.

pub use burn_dataset::dataloader;

/// Datasets, where they come from and what is made of them.
pub mod dataset {
    pub use burn_dataset::{
        Dataset, DatasetError, DatasetIterator, InMemDataset, IterableDataset, TryDatasetIterator, random,
        source, transform, vision,
    };
}
