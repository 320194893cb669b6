//! Keys and values of decoded sequences, in pages that sequences with the same beginning share.

mod allocate;
mod fixed_step;
mod kv_cache;
mod page_pool;
mod prefix_index;
mod sequence_id;
mod step_plan;

pub(crate) use fixed_step::{FixedStep, layers};
pub use kv_cache::KvCache;
pub use sequence_id::SequenceId;
pub(crate) use step_plan::{Segment, StepPlan};
