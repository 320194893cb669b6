//! Functional forms of neural network layers, with the sizes of one, two and three spatial dimensions as
//! arrays.

mod adaptive_pool;
mod attention;
mod channel_shuffle;
mod conv;
mod deform;
mod grid;
mod interpolate;
mod linear;
mod lp_pool;
mod max_unpool;
mod norm;
mod pixel_shuffle;
mod pool;
mod pool_ceil;
mod recurrent;
mod unfold;

pub use adaptive_pool::*;
pub use attention::*;
pub use channel_shuffle::*;
pub use conv::*;
pub use deform::*;
pub use grid::*;
pub use interpolate::*;
pub use linear::*;
pub use lp_pool::*;
pub use max_unpool::*;
pub use norm::*;
pub use pixel_shuffle::*;
pub use pool::*;
pub use pool_ceil::*;
pub use recurrent::*;
pub use unfold::*;
