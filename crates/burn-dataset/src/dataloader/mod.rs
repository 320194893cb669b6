//! Batches of a dataset, made in order by any number of worker threads.

mod batch_data_loader;
mod batch_iterator;
mod batch_source;
pub mod batcher;
mod builder;
mod epoch;
mod error;
mod loader;
mod plan;
mod progress;
mod settings;
mod stream;
mod workers;

pub use batch_data_loader::BatchDataLoader;
pub use batcher::Batcher;
pub use builder::DataLoaderBuilder;
pub use error::DataLoaderError;
pub use loader::{DataLoader, DataLoaderIterator};
pub use progress::Progress;
pub use stream::StreamDataLoader;
