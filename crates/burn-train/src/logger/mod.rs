//! Where the numbers of every batch and the events of the run are kept.

mod application;
mod error;
mod file;
mod in_memory;
mod metric_logger;

pub use application::{ApplicationLoggerInstaller, FileApplicationLogger};
pub use error::LogError;
pub use file::FileMetricLogger;
pub use in_memory::InMemoryMetricLogger;
pub use metric_logger::MetricLogger;
