//! Pooling: each plane (a channel of an image) on its own, a row of results at a time. Windows are folded
//! down their columns first, which reads whole rows, and then along the row.

mod adaptive;
mod geometry;
mod kernels;
mod kind;
mod max;
mod max_indices;
mod mean;

pub use adaptive::{adaptive_avg_pool, adaptive_avg_pool_grad};
pub use kind::{pool, pool_grad};
pub use max::max_pool_with_indices;
