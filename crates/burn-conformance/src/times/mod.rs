//! Times of calls on devices. The variable `BURN_MEASURE` may be a part of the names to measure.

mod linear_algebra;
mod measure;
mod memory_bound;
mod networks;
mod products;
mod transforms;

pub use linear_algebra::linear_algebra;
pub use measure::{is_wanted, normal, report};
pub use memory_bound::memory_bound;
pub use networks::{attention, convolution, convolution_channels_last};
pub use products::matmul;
pub use transforms::transforms;
