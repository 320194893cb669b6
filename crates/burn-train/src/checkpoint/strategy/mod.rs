//! Which checkpoints are kept.

mod any;
mod best_metric;
mod composed;
mod keep_last;

pub use any::CheckpointingStrategy;
pub use best_metric::MetricCheckpointingStrategy;
pub use composed::ComposedCheckpointingStrategy;
pub use keep_last::KeepLastNCheckpoints;
