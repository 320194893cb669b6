//! Activation functions.

mod exponential;
mod gated;
mod rectifier;
mod saturating;
mod shrink;
mod softmax;

pub use exponential::*;
pub use gated::*;
pub use rectifier::*;
pub use saturating::*;
pub use shrink::*;
pub use softmax::*;
