//! One queue of kernels for all threads of a program.
//!
//! `cubecl` collects the work of each thread apart and hands it to the device later. A buffer is free for its
//! thread as soon as no tensor holds it, also while kernels of another thread that read it wait to be handed
//! over: the thread wrote its next batch into images that the training step had yet to read. On one queue the
//! device sees writes and kernels in the order of the calls.

use cubecl_runtime::config::{CubeClRuntimeConfig, RuntimeConfig};
use std::sync::Arc;

/// Opens a device in `open` whose threads share one queue. Devices that are opened later keep what the
/// program has configured.
pub fn with_single_stream<T>(open: impl FnOnce() -> T) -> T {
    let configured = CubeClRuntimeConfig::get();
    let mut single = (*configured).clone();
    single.streaming.max_streams = 1;
    set(Arc::new(single));
    let opened = open();
    set(configured);
    opened
}

fn set(config: Arc<CubeClRuntimeConfig>) {
    *CubeClRuntimeConfig::storage().lock() = Some(config);
}
