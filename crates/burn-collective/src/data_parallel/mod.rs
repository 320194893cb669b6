//! Training of one model on ranks that each see a part of the batch.

mod accumulated;
mod background;
mod backward;
mod backward_reduction;
mod bucket_order;
mod bucket_reducer;
mod buckets;
mod distributed_sampler;
mod earlier;
mod fixed_order;
mod gradients;
mod parallel;
mod parameters;
mod sync_batch_norm;
mod synchronize;

pub(crate) use buckets::{Sized, buckets};
pub(crate) use earlier::Earlier;
pub(crate) use fixed_order::sum_pairs;
pub(crate) use gradients::Prepared;
pub(crate) use parameters::{TrainedParameter, all_trained};

pub use accumulated::AccumulatedGradients;
pub use backward_reduction::BackwardReduction;
pub use distributed_sampler::DistributedSampler;
pub use gradients::{ReducedGradients, UnusedParameter};
pub use parallel::DataParallel;
pub use sync_batch_norm::SyncBatchNorm;
