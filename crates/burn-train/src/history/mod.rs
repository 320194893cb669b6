//! What the numeric metrics were in each epoch, and the table of it.

mod aggregate;
mod metric_history;
mod stats;
mod summary;

pub use aggregate::{Aggregate, Direction};
pub use metric_history::MetricHistory;
pub use stats::EpochStats;
pub use summary::{Extreme, LearnerSummary, MetricSummary};
