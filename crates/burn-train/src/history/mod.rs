//! History of the numeric metrics by epoch, and its table.

mod aggregate;
mod curve;
mod metric_history;
mod run_outcome;
mod stats;
mod summary;
mod tracked_metric;

pub use aggregate::{Aggregate, Direction};
pub(crate) use curve::Curve;
#[cfg(feature = "tui")]
pub(crate) use curve::RECENT;
pub use metric_history::MetricHistory;
pub use run_outcome::{BestEpoch, RunEnd, RunOutcome};
pub use stats::EpochStats;
pub use summary::{Extreme, LearnerSummary, MetricSummary};
pub use tracked_metric::TrackedMetric;
