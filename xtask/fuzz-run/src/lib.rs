//! What the programs of `cargo xtask fuzz` have in common: their arguments and duration, and the memory that they count.

mod counting_allocator;
mod run;

pub use counting_allocator::{CountingAllocator, live, peak, thread_peak};
pub use run::FuzzRun;
