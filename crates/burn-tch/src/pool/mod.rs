//! Pools over up to three spatial dimensions.

mod adaptive;
mod average;
mod max;
mod windows;

pub use adaptive::{adaptive_avg_pool, adaptive_avg_pool_grad};
pub use average::{pool, pool_grad};
pub use max::max_pool_with_indices;
