//! The thread pool, and how work is shared among its threads.

#[cfg(feature = "std")]
mod job_state;
pub mod parallel;
pub mod pieces;
#[cfg(feature = "std")]
pub mod processor;
#[cfg(all(
    feature = "std",
    not(all(target_family = "wasm", target_os = "unknown", target_feature = "atomics"))
))]
mod system_threads;
#[cfg(feature = "std")]
pub mod thread_pool;
#[cfg(all(feature = "std", target_family = "wasm", target_os = "unknown", target_feature = "atomics"))]
mod web_threads;
#[cfg(all(feature = "std", target_family = "wasm", target_os = "unknown", target_feature = "atomics"))]
pub mod web_workers;

#[cfg(all(
    feature = "std",
    not(all(target_family = "wasm", target_os = "unknown", target_feature = "atomics"))
))]
use system_threads as host_threads;
#[cfg(all(feature = "std", target_family = "wasm", target_os = "unknown", target_feature = "atomics"))]
use web_threads as host_threads;
