//! The random numbers of every shuffle: the same on every platform and for ever.

mod generator;
mod permutation;

pub use generator::Generator;
pub use permutation::{permutation, try_permutation};
