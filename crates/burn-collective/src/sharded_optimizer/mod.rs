//! Optimizer whose state is split over ranks.

mod exchange;
mod gradients;
mod memory;
mod optimizer;
mod partition;
mod record;
mod values;

pub use memory::{Sharding, TrainingMemory};
pub use optimizer::ShardedOptimizer;
