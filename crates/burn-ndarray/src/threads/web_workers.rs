//! Threads in a browser: Web Workers, which share the memory of the program. A page starts them before its
//! first tensor, since a worker begins only when the one that made it waits for nothing.

use crate::threads::thread_pool::help;
use crate::threads::web_threads::{COUNT, HAS_FAILED, capacity, count};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::string::String;
use wasm_bindgen::prelude::*;

/// Helpers that were asked for, and those that have begun.
static ASKED: AtomicUsize = AtomicUsize::new(0);
static BEGUN: AtomicUsize = AtomicUsize::new(0);

#[wasm_bindgen]
unsafe extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static PROGRAM: String;
}

#[wasm_bindgen(module = "/src/threads/web_workers.js")]
unsafe extern "C" {
    #[wasm_bindgen(js_name = startWorkers, catch)]
    async fn start_workers(
        program: &str,
        module: JsValue,
        memory: JsValue,
        count: usize,
    ) -> Result<JsValue, JsValue>;
}

/// Starts Web Workers, so that `threads` threads, that of the caller among them and at most 64, share the
/// work of operations. Returns the number of threads that do. JavaScript awaits it, as `init_threads`, before
/// the first tensor.
///
/// It exists in builds for browsers with the target feature `atomics`, which need nightly Rust.
///
/// # Errors
/// The page is not cross-origin isolated, the caller is no Web Worker (the thread of a page may not wait for
/// other threads), or a worker did not start. For one thread there is no error.
#[wasm_bindgen]
pub async fn init_threads(threads: usize) -> Result<usize, JsValue> {
    let threads = threads.clamp(1, capacity());
    let missing = (threads - 1).saturating_sub(ASKED.fetch_max(threads - 1, Ordering::Relaxed));
    let program = PROGRAM.with(String::clone);
    let started = start_workers(&program, wasm_bindgen::module(), wasm_bindgen::memory(), missing).await;
    if started.is_err() {
        // A later call asks again.
        ASKED.store(count() - 1, Ordering::Relaxed);
    }
    started?;
    COUNT.store(threads, Ordering::Relaxed);
    Ok(threads)
}

/// Helps the other threads, and does not return. The worker that [`init_threads`] started calls it.
#[wasm_bindgen]
pub fn ndarray_helper() {
    let helper = 1 + BEGUN.fetch_add(1, Ordering::Relaxed);
    if helper < capacity() {
        help(helper);
    }
}

/// Notes that a helper ended in a trap: nothing waits for it any more.
#[wasm_bindgen]
pub fn ndarray_helper_failed() {
    HAS_FAILED.store(true, Ordering::Relaxed);
}
