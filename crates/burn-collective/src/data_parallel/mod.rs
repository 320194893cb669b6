//! Training of one model on ranks that each see a part of the batch.

mod buckets;
mod distributed_sampler;
mod gradients;
mod parallel;
mod parameters;
mod synchronize;

pub use distributed_sampler::DistributedSampler;
pub use gradients::{ReducedGradients, UnusedParameter};
pub use parallel::DataParallel;
