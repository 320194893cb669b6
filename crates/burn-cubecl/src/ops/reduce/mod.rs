//! Reductions of any dimensions of a view, each to one element or to the extreme one and its index.

mod columns;
mod extreme;
mod fold;
mod rows;

pub use extreme::reduce_with_indices;
pub use fold::reduce;
