use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that the process has allocated, and the most since it was set last.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The same of one thread, which may be negative: what another thread allocated may be freed here.
    static THREAD_LIVE: Cell<isize> = const { Cell::new(0) };
    static THREAD_PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The allocator of the system, whose bytes are counted in a program that makes it the global one:
/// `#[global_allocator] static ALLOCATOR: CountingAllocator = CountingAllocator;`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

// SAFETY: the system allocates; counting touches no memory of others.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        count_in_thread(layout.size() as isize);
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        count_in_thread(-(layout.size() as isize));
        // SAFETY: by the contract of the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn count_in_thread(bytes: isize) {
    // A thread that ends has no counters any more.
    let _ = THREAD_LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = THREAD_PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

/// Returns the bytes that the process has allocated.
pub fn live() -> usize {
    LIVE.load(Ordering::Relaxed)
}

/// Returns the bytes that this thread has allocated, less those it has freed.
pub fn thread_live() -> isize {
    THREAD_LIVE.get()
}

/// Returns the most bytes that the process allocates at a time while `run` runs, beyond those before.
pub fn peak(run: &mut dyn FnMut()) -> usize {
    let before = live();
    PEAK.store(before, Ordering::Relaxed);
    run();
    PEAK.load(Ordering::Relaxed).saturating_sub(before)
}

/// Returns the most bytes that this thread allocates at a time in `run`, beyond those before: tests run
/// beside each other.
pub fn thread_peak(run: &mut dyn FnMut()) -> usize {
    let before = THREAD_LIVE.get();
    THREAD_PEAK.set(before);
    run();
    (THREAD_PEAK.get() - before) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: CountingAllocator = CountingAllocator;

    #[test]
    fn the_peak_is_the_most_that_is_there_at_a_time() {
        let take = |bytes: usize| drop(std::hint::black_box(vec![0_u8; bytes]));
        // One after the other, then both at once.
        assert_eq!(thread_peak(&mut || (take(1000), take(3000)).0), 3000);
        let found = thread_peak(&mut || {
            let _first = std::hint::black_box(vec![0_u8; 1000]);
            take(3000);
        });
        assert_eq!(found, 4000);
        assert!(peak(&mut || take(1 << 20)) >= 1 << 20);
    }
}
