//! Counts the bytes that are allocated.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes that this thread has allocated, and the most since it was set last. Tests run beside each other.
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: the system allocates; counting touches no memory of others.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: by the contract of the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn count(bytes: isize) {
    // A thread that ends has no counters any more.
    let _ = LIVE.try_with(|live| {
        live.set(live.get().wrapping_add_signed(bytes));
        let _ = PEAK.try_with(|peak| {
            if live.get() as isize > peak.get() as isize {
                peak.set(live.get());
            }
        });
    });
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the most bytes that `run` holds at a time.
pub fn peak(run: &mut dyn FnMut()) -> usize {
    let before = LIVE.get();
    PEAK.set(before);
    run();
    PEAK.get().wrapping_sub(before)
}
