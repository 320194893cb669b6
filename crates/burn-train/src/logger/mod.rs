//! Where the numbers of every batch and the events of the run are kept.

mod application;
mod background_writer;
mod discard;
mod error;
mod file;
mod in_memory;
mod log_files;
mod log_lines;
mod metric_logger;
mod processor_choice;

pub use application::{ApplicationLoggerInstaller, FileApplicationLogger};
pub(crate) use discard::DiscardingMetricLogger;
pub use error::LogError;
pub use file::FileMetricLogger;
pub use in_memory::InMemoryMetricLogger;
pub use metric_logger::MetricLogger;
