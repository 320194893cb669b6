//! The thread pool, and how work is shared among its threads.

pub mod parallel;
#[cfg(feature = "std")]
pub mod processor;
#[cfg(feature = "std")]
pub mod thread_pool;
