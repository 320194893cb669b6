//! Keys and values of decoded sequences, in pages that sequences with the same beginning share.

mod allocate;
mod cache_dtype;
mod fixed_step;
mod kv_cache;
mod page_pool;
mod prefix_index;
mod sequence_id;
mod step_plan;
mod stored_rows;

pub use cache_dtype::CacheDtype;
pub(crate) use fixed_step::{FixedStep, layers, tensors};
pub use kv_cache::KvCache;
pub use sequence_id::SequenceId;
pub(crate) use step_plan::{Segment, StepPlan};
pub(crate) use stored_rows::StoredRows;
pub(crate) use stored_rows::{floats, joined, rounded, view, views, write_at};
