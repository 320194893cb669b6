//! Differentiable calls of every operation.

mod call;
mod elementwise;
mod family;
mod layer;
mod layout;
mod linalg;
mod reduce;
mod spatial;

pub use call::{Call, F, call, constant};
pub use family::calls;
