//! Composition of layers.

mod chain;
mod flatten;
mod forward;
mod layers;

pub use chain::Sequential;
pub use flatten::Flatten;
pub use forward::Forward;
