//! Keys and values of decoded sequences, in pages that sequences with the same beginning share.

mod kv_cache;
mod page_pool;
mod prefix_index;
mod step_plan;

pub use kv_cache::{KvCache, SequenceId};
pub(crate) use step_plan::{Segment, StepPlan};
