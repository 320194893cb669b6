//! Recurrent networks over whole sequences. Threads share the units: each step is a product with some columns
//! of the recurrent weight, which are packed once, and the arithmetic of the gates on its result while the
//! caches hold it.

mod backward;
mod element;
mod forward;
mod pack;
mod problem;

pub use backward::recurrent_grad;
pub use forward::recurrent;

/// Units that a thread computes together at most; a multiple of [`PAD`].
const UNITS: usize = 64;
/// Whole vectors of every machine.
const PAD: usize = 16;
/// Sequences that a thread computes together: whole tiles of sums of every machine.
const ROWS: usize = 48;
/// Steps from which on packing the weight pays.
const PACKED_STEPS: usize = 4;
