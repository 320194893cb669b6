//! Random numbers that depend on the seed and the order of calls alone, not on the number of threads.

mod fill;
mod philox;
mod stream;

pub use fill::random;
pub use stream::seed;
