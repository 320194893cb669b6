//! Pools. Candle has the mean of planes without padding; its maximum loses NaN, so that is a kernel of this
//! crate.

mod adaptive;
mod backward;
mod forward;
mod windows;

pub use adaptive::{adaptive_avg_pool, adaptive_avg_pool_grad};
pub use backward::pool_grad;
pub use forward::{max_pool_with_indices, pool};
