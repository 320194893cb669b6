//! The pool's view of threads in a browser, which the page starts: see `web_workers.rs`.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use core::time::Duration;
use wasm_bindgen::prelude::*;

/// Number of threads that share work.
pub static COUNT: AtomicUsize = AtomicUsize::new(1);
/// Whether a helper has ended in a trap.
pub static HAS_FAILED: AtomicBool = AtomicBool::new(false);

#[wasm_bindgen]
unsafe extern "C" {
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// Number of threads that share work.
pub fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}

/// Number of threads that the pool has room for.
pub const fn capacity() -> usize {
    64
}

/// Starts nothing.
pub fn start(_capacity: usize, _help: fn(usize)) {}

/// Called by a thread that waits for helpers. One that has failed will never be done: panics abort.
pub fn yield_now() {
    let has_failed = HAS_FAILED.load(Ordering::Relaxed);
    assert!(!has_failed, "a thread of the CPU backend failed: the console has its error");
}

/// The time since it began; the clock of the standard library does not run in browsers.
pub struct Stopwatch(f64);

impl Stopwatch {
    pub fn start() -> Self {
        Stopwatch(now())
    }

    pub fn is_below(&self, time: Duration) -> bool {
        now() - self.0 < time.as_secs_f64() * 1e3
    }
}
