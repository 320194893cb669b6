//! The allocator of these tests: the one of the system, and what each thread has of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Bytes that this thread asked for and did not give back.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    /// The most that they were since it was last set.
    static PEAK: Cell<isize> = const { Cell::new(0) };
    /// Blocks as large as tensors that this thread asked for.
    static LARGE: Cell<usize> = const { Cell::new(0) };
}

/// Bytes of a large block; the workspace of a product is smaller.
const LARGE_BYTES: usize = 1 << 20;

/// Returns the bytes in use by this thread, free blocks of the tensor pool included.
pub fn live_bytes() -> isize {
    LIVE.get()
}

/// Returns how many bytes more than before were in use at the same time while `task` ran.
pub fn peak_of(task: impl FnOnce()) -> isize {
    let before = LIVE.get();
    PEAK.set(before);
    task();
    PEAK.get() - before
}

/// Returns how many blocks of 1 MiB and more `task` made.
pub fn large_blocks_of(task: impl FnOnce()) -> usize {
    let before = LARGE.get();
    task();
    LARGE.get() - before
}

fn count(bytes: isize) {
    // A thread that ends has no counter any more, and nothing to count.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        PEAK.with(|peak| peak.set(peak.get().max(live.get())));
        LARGE.with(|large| large.set(large.get() + usize::from(bytes >= LARGE_BYTES as isize)));
    });
}

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

#[global_allocator]
static ALLOCATOR: Counting = Counting;
