//! The thread pool, and how work is shared among its threads.

#[cfg(feature = "std")]
mod job_state;
pub mod parallel;
pub mod pieces;
#[cfg(feature = "std")]
pub mod processor;
#[cfg(feature = "std")]
pub mod thread_pool;
