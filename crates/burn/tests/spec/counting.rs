//! The allocator of these tests: the one of the system, and what each thread has of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Bytes that this thread asked for and did not give back.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

/// Returns the bytes in use by this thread, free blocks of the tensor pool included.
pub fn live_bytes() -> isize {
    LIVE.get()
}

fn count(bytes: isize) {
    // A thread that ends has no counter any more, and nothing to count.
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
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
