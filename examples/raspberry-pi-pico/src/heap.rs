use core::alloc::{GlobalAlloc, Layout};
use core::fmt::{Debug, Formatter, Result};
use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;
use core::sync::atomic::{AtomicUsize, Ordering};
use embedded_alloc::LlffHeap as Heap;

// ANCHOR: heap
/// Heap of a program on a chip, which remembers the largest number of bytes that were in use.
pub struct ChipHeap {
    heap: Heap,
    peak: AtomicUsize,
}

impl ChipHeap {
    /// Bytes of the heap: 100 KiB.
    pub const SIZE: usize = 100 * 1024;

    /// Creates a heap without memory, for a `#[global_allocator]`.
    #[expect(clippy::new_without_default, reason = "a static calls it")]
    pub const fn new() -> Self {
        ChipHeap { heap: Heap::empty(), peak: AtomicUsize::new(0) }
    }

    /// Gives the heap its memory, before the first allocation.
    ///
    /// # Panics
    /// When it is called again.
    pub fn init(&self) {
        static mut MEMORY: MaybeUninit<[u8; ChipHeap::SIZE]> = MaybeUninit::uninit();
        // SAFETY: the memory is used here alone, and `Heap::init` panics when it is called again.
        unsafe { self.heap.init(addr_of_mut!(MEMORY) as usize, Self::SIZE) }
    }

    /// Returns the bytes that are in use.
    pub fn used(&self) -> usize {
        self.heap.used()
    }

    /// Returns the most bytes that were in use at once.
    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }
}

// SAFETY: the heap keeps the contract, and is only counted here.
unsafe impl GlobalAlloc for ChipHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the contract of the caller.
        let block = unsafe { self.heap.alloc(layout) };
        // A chip may have no `fetch_max`. An interrupt that allocates in between could hide its own peak, and
        // nothing else.
        self.peak.store(self.peak().max(self.used()), Ordering::Relaxed);
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the contract of the caller.
        unsafe { self.heap.dealloc(block, layout) }
    }
}
// ANCHOR_END: heap

impl Debug for ChipHeap {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "ChipHeap({} of {} bytes)", self.used(), Self::SIZE)
    }
}
