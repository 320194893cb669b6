//! Free blocks, kept for the next tensor of about the same size.
//!
//! Small blocks go through lists that each thread keeps for itself, so that a tensor in a loop costs no lock and
//! no call of the system; large ones, and what a thread has too many of, through lists that all threads share.
//! Large blocks are worth even more: fresh memory of the system costs a page fault every 4 KiB.

use super::block::{self, CLASSES, Header, block_size, class_of};
use burn_backend::memory_budget;
use core::cell::Cell;
use core::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Classes below are kept by threads (blocks up to 64 KiB).
const LOCAL_CLASSES: usize = 37;
/// Most bytes of one class that a thread keeps.
const LOCAL_BYTES: usize = 256 << 10;
/// Most bytes that the shared lists keep, unless the program limits its caches.
const SHARED_BYTES: usize = if usize::BITS >= 64 { 1 << 30 } else { 64 << 20 };

type Link = Option<NonNull<Header>>;

struct Local {
    first: [Cell<Link>; LOCAL_CLASSES],
    count: [Cell<u16>; LOCAL_CLASSES],
}

thread_local! {
    static LOCAL: Local = const {
        Local { first: [const { Cell::new(None) }; LOCAL_CLASSES], count: [const { Cell::new(0) }; LOCAL_CLASSES] }
    };
}

impl Local {
    fn take(&self, class: usize) -> Link {
        let block = self.first[class].get()?;
        // SAFETY: a listed block is used by nobody else.
        self.first[class].set(unsafe { block.as_ref() }.next);
        self.count[class].set(self.count[class].get() - 1);
        Some(block)
    }

    /// Keeps `block` if there is room for it.
    fn put(&self, mut block: NonNull<Header>, class: usize) -> bool {
        let count = self.count[class].get();
        if usize::from(count) >= (LOCAL_BYTES / block_size(class)).clamp(4, 64) {
            return false;
        }
        // SAFETY: nobody else uses the block.
        unsafe { block.as_mut() }.next = self.first[class].get();
        self.first[class].set(Some(block));
        self.count[class].set(count + 1);
        true
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        let mut shared = shared();
        for class in 0..LOCAL_CLASSES {
            while let Some(block) = self.take(class) {
                shared.put(block, class);
            }
        }
    }
}

struct Shared {
    first: [Link; CLASSES],
    bytes: usize,
}

// SAFETY: the listed blocks belong to the list, whichever thread holds it.
unsafe impl Send for Shared {}

static SHARED: Mutex<Shared> = Mutex::new(Shared { first: [None; CLASSES], bytes: 0 });

fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn take(&mut self, class: usize) -> Link {
        let block = self.first[class]?;
        // SAFETY: a listed block is used by nobody else.
        self.first[class] = unsafe { block.as_ref() }.next;
        self.bytes -= block_size(class);
        Some(block)
    }

    /// Keeps `block`. When the lists are full of other sizes, those go first.
    fn put(&mut self, mut block: NonNull<Header>, class: usize) {
        let size = block_size(class);
        let most = SHARED_BYTES.min(usize::try_from(memory_budget::cache_limit()).unwrap_or(usize::MAX));
        if self.bytes + size > most {
            self.clear();
        }
        if size > most {
            // SAFETY: nobody uses the block.
            return unsafe { block::free(block) };
        }
        // SAFETY: nobody else uses the block.
        unsafe { block.as_mut() }.next = self.first[class];
        self.first[class] = Some(block);
        self.bytes += size;
    }

    fn clear(&mut self) {
        for class in 0..CLASSES {
            while let Some(block) = self.take(class) {
                // SAFETY: the block was in a list, so nobody uses it.
                unsafe { block::free(block) };
            }
        }
    }
}

/// A block for `len` bytes, with any content, if there is memory for it.
#[inline]
pub fn take(len: usize) -> Option<NonNull<Header>> {
    let class = class_of(len)?;
    if class < LOCAL_CLASSES
        && let Ok(Some(block)) = LOCAL.try_with(|local| local.take(class))
    {
        return Some(block);
    }
    take_shared(class)
}

#[cold]
fn take_shared(class: usize) -> Option<NonNull<Header>> {
    let block = shared().take(class);
    block.or_else(|| block::allocate(class)).or_else(|| {
        // Release the free blocks of other sizes and try again.
        trim();
        block::allocate(class)
    })
}

/// Takes `block` back.
///
/// # Safety
/// `block` is from [`take`], and nobody uses it.
#[inline]
pub unsafe fn put(block: NonNull<Header>) {
    // SAFETY: the block is whole.
    let class = unsafe { block.as_ref() }.class;
    if class < LOCAL_CLASSES && LOCAL.try_with(|local| local.put(block, class)).unwrap_or(false) {
        return;
    }
    shared().put(block, class);
}

/// Gives the free memory of the calling thread and of the shared lists back to the system.
pub fn trim() {
    let mut shared = shared();
    let _ = LOCAL.try_with(|local| {
        for class in 0..LOCAL_CLASSES {
            while let Some(block) = local.take(class) {
                shared.put(block, class);
            }
        }
    });
    shared.clear();
}
