//! Counts what a call asks of the allocator, outside of the timed part.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static COUNTING: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, and a count of new blocks while counting is on.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn note() {
    if COUNTING.load(Relaxed) {
        COUNT.fetch_add(1, Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator with the arguments it came with.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: by the contract of the caller, which is that of the system's allocator.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: by the contract of the caller; `block` is from the system's allocator.
        unsafe { System.realloc(block, layout, size) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: by the contract of the caller; `block` is from the system's allocator.
        unsafe { System.dealloc(block, layout) }
    }
}

/// New blocks per call, on all threads.
pub(crate) fn per_call(mut call: impl FnMut(), calls: u32) -> f64 {
    COUNT.store(0, Relaxed);
    COUNTING.store(true, Relaxed);
    (0..calls).for_each(|_| call());
    COUNTING.store(false, Relaxed);
    COUNT.load(Relaxed) as f64 / f64::from(calls)
}
