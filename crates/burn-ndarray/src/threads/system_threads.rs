//! Threads of the operating system, which the pool starts itself at its first job.

use core::sync::atomic::{AtomicBool, Ordering};
use std::thread;
#[cfg(not(all(test, loom)))]
pub use std::thread::yield_now;
use std::time::{Duration, Instant};

/// Number of threads that share work.
pub fn count() -> usize {
    rayon::current_num_threads()
}

/// Number of threads that the pool has room for.
pub fn capacity() -> usize {
    thread::available_parallelism().map_or(1, usize::from).max(rayon::current_num_threads())
}

/// Starts the helpers of the pool, once. Without threads, the caller does everything.
pub fn start(capacity: usize, help: fn(usize)) {
    static STARTED: AtomicBool = AtomicBool::new(false);
    if !STARTED.load(Ordering::Relaxed) && !STARTED.swap(true, Ordering::Relaxed) {
        for helper in 1..capacity {
            let builder = thread::Builder::new().name(std::format!("burn-ndarray-{helper}"));
            let _ = builder.spawn(move || help(helper));
        }
    }
}

/// The time since it began.
pub struct Stopwatch(Instant);

impl Stopwatch {
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    pub fn is_below(&self, time: Duration) -> bool {
        self.0.elapsed() < time
    }
}
