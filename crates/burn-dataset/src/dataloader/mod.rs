//! Batches of a dataset, made in order by any number of worker threads.

mod batch_iterator;
mod batch_source;
pub mod batcher;
mod builder;
mod epoch;
mod error;
mod loader;
mod plan;
mod progress;
mod stream;
mod workers;

pub use batcher::Batcher;
pub use builder::DataLoaderBuilder;
pub use error::DataLoaderError;
pub use loader::{BatchDataLoader, DataLoader, DataLoaderIterator};
pub use progress::Progress;
pub use stream::StreamDataLoader;
