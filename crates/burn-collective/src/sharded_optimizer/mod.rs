//! Optimizer whose state is split over ranks.

mod exchange;
mod optimizer;
mod partition;
mod record;
mod values;

pub use optimizer::ShardedOptimizer;
