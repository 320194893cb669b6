//! History of the numeric metrics by epoch, and its table.

mod aggregate;
mod curve;
mod metric_history;
mod stats;
mod summary;

pub use aggregate::{Aggregate, Direction};
pub(crate) use curve::Curve;
#[cfg(feature = "tui")]
pub(crate) use curve::RECENT;
pub use metric_history::MetricHistory;
pub use stats::EpochStats;
pub use summary::{Extreme, LearnerSummary, MetricSummary};
