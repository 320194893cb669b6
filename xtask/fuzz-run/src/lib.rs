//! Arguments, duration and allocation counter shared by the programs of `cargo xtask fuzz`.

mod counting_allocator;
mod run;

pub use counting_allocator::{CountingAllocator, live, peak, thread_live, thread_peak};
pub use run::FuzzRun;
