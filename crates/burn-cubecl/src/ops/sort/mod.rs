//! Sorting and selecting along a dimension.
//!
//! Elements become unsigned keys in the order that is wanted, each with its index; the values are fetched
//! when the indices are known. Short lines are sorted in shared memory, long ones digit by digit.

mod key;
mod order;
mod place;
mod radix;
mod tile;

pub use order::{sort_with_indices, topk};
