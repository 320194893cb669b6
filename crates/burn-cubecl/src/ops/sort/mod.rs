//! Sorting and selecting along a dimension.
//!
//! Elements become unsigned keys in the order that is wanted, each with its index; the values are fetched
//! when the indices are known. Short lines are sorted in shared memory, long ones digit by digit.

mod fetch;
mod key;
mod order;
mod radix;
mod tile;

pub use order::{sort_with_indices, topk};
