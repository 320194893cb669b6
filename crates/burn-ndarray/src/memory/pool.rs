//! Free blocks, kept for the next tensor of about the same size.
//!
//! Small blocks go through lists that each thread keeps for itself, so that a tensor in a loop costs no lock
//! and no call of the system; large ones, and what a thread has too many of, through lists that all threads
//! share. Large blocks are worth even more: fresh memory of the system costs a page fault every 4 KiB. Those
//! that were not taken for some seconds go back to the system, so that what was needed once, such as weights
//! before they were quantized, is not kept.
//!
//! `scripts/nightly loom` runs the model below over every order of the calls of two threads.

use super::block::{self, CLASSES, Header, block_size, class_of};
use burn_backend::memory_budget;
use core::cell::Cell;
use core::ptr::NonNull;
#[cfg(all(test, loom))]
use loom::sync::{Mutex, MutexGuard};
use std::sync::PoisonError;
#[cfg(not(all(test, loom)))]
use std::sync::{Mutex, MutexGuard};

/// Classes below are kept by threads (blocks up to 64 KiB).
const LOCAL_CLASSES: usize = 37;
/// Most bytes of one class that a thread keeps.
const LOCAL_BYTES: usize = 256 << 10;
/// Milliseconds after which a free block that was not taken goes back to the system: longer than a step of
/// most training loops.
const IDLE_MILLIS: usize = 5_000;
/// Milliseconds between two looks for such blocks.
const LOOK_MILLIS: usize = 1_000;
/// Most bytes that the shared lists keep, unless the program limits its caches.
const SHARED_BYTES: usize = if usize::BITS >= 64 { 1 << 30 } else { 64 << 20 };

type Link = Option<NonNull<Header>>;

struct Local {
    first: [Cell<Link>; LOCAL_CLASSES],
    count: [Cell<u16>; LOCAL_CLASSES],
}

#[cfg(not(all(test, loom)))]
thread_local! {
    static LOCAL: Local = const { Local::new() };
}
#[cfg(all(test, loom))]
loom::thread_local! {
    static LOCAL: Local = Local::new();
}

impl Local {
    const fn new() -> Self {
        Local {
            first: [const { Cell::new(None) }; LOCAL_CLASSES],
            count: [const { Cell::new(0) }; LOCAL_CLASSES],
        }
    }

    fn take(&self, class: usize) -> Link {
        let block = self.first[class].get()?;
        // SAFETY: a listed block has no other user.
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
        // SAFETY: the block has no other user.
        unsafe { block.as_mut() }.next = self.first[class].get();
        self.first[class].set(Some(block));
        self.count[class].set(count + 1);
        true
    }

    /// Moves all blocks to the shared lists.
    fn give_back(&self, shared: &mut Shared) {
        for class in 0..LOCAL_CLASSES {
            while let Some(block) = self.take(class) {
                shared.put(block, class);
            }
        }
    }
}

// Loom's statics end before its threads do: the threads of the model give their blocks back themselves.
#[cfg(not(all(test, loom)))]
impl Drop for Local {
    fn drop(&mut self) {
        self.give_back(&mut shared());
    }
}

struct Shared {
    first: [Link; CLASSES],
    bytes: usize,
    /// When idle blocks were last looked for, in milliseconds.
    looked: usize,
}

// SAFETY: the listed blocks belong to the list, whichever thread holds it.
unsafe impl Send for Shared {}

#[cfg(not(all(test, loom)))]
static SHARED: Mutex<Shared> = Mutex::new(Shared::new());
#[cfg(all(test, loom))]
loom::lazy_static! {
    static ref SHARED: Mutex<Shared> = Mutex::new(Shared::new());
}

/// Milliseconds since the first call; none where there is no clock, or where each run has to be as the last.
fn now() -> usize {
    #[cfg(any(target_family = "wasm", all(test, loom)))]
    return 0;
    #[cfg(not(any(target_family = "wasm", all(test, loom))))]
    {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed().as_millis() as usize
    }
}

fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    const fn new() -> Self {
        Shared { first: [None; CLASSES], bytes: 0, looked: 0 }
    }

    fn take(&mut self, class: usize) -> Link {
        let block = self.first[class]?;
        // SAFETY: a listed block has no other user.
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
            // SAFETY: the block has no user.
            return unsafe { block::free(block) };
        }
        // SAFETY: the block has no other user.
        let header = unsafe { block.as_mut() };
        // The length is of no meaning while the block is free.
        (header.next, header.len) = (self.first[class], now());
        self.first[class] = Some(block);
        self.bytes += size;
    }

    /// Gives blocks back to the system that were put before this time. The last one put is the first in its
    /// list.
    fn release_before(&mut self, time: usize) {
        for class in 0..CLASSES {
            // The newest block that is kept, whose rest goes.
            let mut kept: Link = None;
            let mut next = self.first[class];
            while let Some(block) = next {
                // SAFETY: a listed block has no other user.
                let header = unsafe { block.as_ref() };
                if header.len < time {
                    break;
                }
                (kept, next) = (Some(block), header.next);
            }
            match kept {
                // SAFETY: as above.
                Some(mut block) => unsafe { block.as_mut() }.next = None,
                None => self.first[class] = None,
            }
            while let Some(block) = next {
                // SAFETY: the block was cut off its list, so it has no user.
                unsafe {
                    next = block.as_ref().next;
                    block::free(block);
                }
                self.bytes -= block_size(class);
            }
        }
    }

    /// Looks for idle blocks, from time to time.
    fn release_idle(&mut self, now: usize) {
        if now.saturating_sub(self.looked) >= LOOK_MILLIS {
            self.looked = now;
            self.release_before(now.saturating_sub(IDLE_MILLIS));
        }
    }

    fn clear(&mut self) {
        for class in 0..CLASSES {
            while let Some(block) = self.take(class) {
                // SAFETY: the block was in a list, so it has no user.
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
    let block = {
        let mut shared = shared();
        shared.release_idle(now());
        shared.take(class)
    };
    block.or_else(|| block::allocate(class)).or_else(|| {
        // Release the free blocks of other sizes and try again.
        trim();
        block::allocate(class)
    })
}

/// Takes `block` back.
///
/// # Safety
/// `block` is from [`take`], and has no other user.
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
    let _ = LOCAL.try_with(|local| local.give_back(&mut shared));
    shared.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_nobody_took_go_back_and_newer_ones_stay() {
        let mut shared = Shared::new();
        let class = class_of(100_000).expect("a class");
        // Times are written over: the clock has no part in this.
        for time in [1_000, 2_000, 7_000] {
            let mut block = block::allocate(class).expect("memory");
            shared.put(block, class);
            // SAFETY: the block has no other user.
            unsafe { block.as_mut() }.len = time;
        }
        shared.release_idle(LOOK_MILLIS - 1);
        assert_eq!(shared.bytes, 3 * block_size(class));
        shared.release_idle(7_500);
        assert_eq!(shared.bytes, block_size(class));
        // Looked for less than a second ago.
        shared.release_idle(8_000);
        assert!(shared.first[class].is_some());
        shared.release_idle(12_001);
        assert_eq!((shared.bytes, shared.first[class]), (0, None));
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::thread;

    /// Stands for the elements of a block; loom refuses an access that no lock orders after the last one. A
    /// new block is zero, which is no address.
    fn elements(block: NonNull<Header>) -> *mut *mut UnsafeCell<usize> {
        block::elements(block).cast()
    }

    /// Takes a block and writes its elements.
    fn take_written(len: usize) -> NonNull<Header> {
        let block = take(len).expect("memory");
        // SAFETY: the elements have room for an address, and only this thread has the block.
        unsafe {
            let cell = elements(block);
            if (*cell).is_null() {
                *cell = Box::into_raw(Box::new(UnsafeCell::new(0)));
            }
            (**cell).with_mut(|value| *value += 1);
        }
        block
    }

    /// Writes the elements of a block once more, and gives it back.
    fn put_written(block: NonNull<Header>) {
        // SAFETY: the block is written, and only this thread has it.
        unsafe {
            (**elements(block)).with_mut(|value| *value += 1);
            put(block);
        }
    }

    /// As a thread that ends.
    fn give_back() {
        LOCAL.with(|local| local.give_back(&mut shared()));
    }

    /// Frees the blocks of a size with the cells that stand for their elements. Returns their number.
    fn free_all(len: usize) -> usize {
        let (class, mut count) = (class_of(len).expect("a class"), 0);
        while let Some(block) = shared().take(class) {
            // SAFETY: the list had the block, whose elements were written.
            unsafe {
                drop(Box::from_raw(*elements(block)));
                block::free(block);
            }
            count += 1;
        }
        count
    }

    /// Two threads take two blocks each, of which one changes hands, and give them back.
    fn run(len: usize) {
        let lent = take_written(len);
        let other = thread::spawn(move || {
            let own = take_written(len);
            put_written(lent);
            put_written(own);
            let again = take_written(len);
            give_back();
            put_written(again);
            give_back();
        });
        let own = take_written(len);
        put_written(own);
        give_back();
        let again = take_written(len);
        put_written(again);
        give_back();
        other.join().expect("no panic");
        let blocks = free_all(len);
        assert!((2..=4).contains(&blocks), "{blocks} blocks were kept");
        assert_eq!(shared().bytes, 0);
    }

    #[test]
    fn a_block_of_a_thread_has_one_user_at_a_time() {
        loom::model(|| run(size_of::<usize>()));
    }

    #[test]
    fn a_block_of_the_shared_lists_has_one_user_at_a_time() {
        let len = 100_000;
        assert!(class_of(len).is_some_and(|class| class >= LOCAL_CLASSES));
        loom::model(move || run(len));
    }
}
