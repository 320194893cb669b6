//! How many owners a block of memory has.
//!
//! `scripts/nightly loom` runs the test below over every order in which the processor may see these calls.

#[cfg(all(test, loom))]
use loom::sync::atomic::{AtomicUsize, Ordering, fence};
#[cfg(not(all(test, loom)))]
use {
    burn_backend::sync::AtomicUsize,
    core::sync::atomic::{Ordering, fence},
};

/// A count that owners on several threads change.
pub struct Owners(AtomicUsize);

impl Owners {
    /// A single owner.
    #[inline]
    pub fn one() -> Self {
        Owners(AtomicUsize::new(1))
    }

    /// Returns whether there is a single owner, who then sees what the others did, and may write.
    #[inline]
    pub fn is_one(&self) -> bool {
        self.0.load(Ordering::Acquire) == 1
    }

    /// Adds an owner.
    #[inline]
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes the calling owner. Returns whether it was the last one, who then sees what the others did, and
    /// to whom the memory belongs.
    #[inline]
    pub fn remove(&self) -> bool {
        // The only owner needs no atomic write: no other thread can add or remove one.
        if self.is_one() {
            return true;
        }
        if self.0.fetch_sub(1, Ordering::Release) != 1 {
            return false;
        }
        fence(Ordering::Acquire);
        true
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    struct Block {
        owners: Owners,
        /// Loom refuses a write beside a read.
        bytes: UnsafeCell<u8>,
        freed: AtomicUsize,
    }

    /// Reads as an owner, writes if it is the only one, and gives its part up.
    fn own(block: &Block) {
        block.bytes.with(|bytes| {
            // SAFETY: elements are written only while there is one owner.
            unsafe { *bytes }
        });
        if block.owners.is_one() {
            // SAFETY: this is the only owner.
            block.bytes.with_mut(|bytes| unsafe { *bytes += 1 });
        }
        if block.owners.remove() {
            // SAFETY: this was the last owner.
            block.bytes.with_mut(|bytes| unsafe { *bytes = 0 });
            block.freed.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn memory_is_freed_once_by_the_last_of_its_owners() {
        loom::model(|| {
            let block = Arc::new(Block {
                owners: Owners::one(),
                bytes: UnsafeCell::new(7),
                freed: AtomicUsize::new(0),
            });
            let threads: std::vec::Vec<_> = (0..2)
                .map(|_| {
                    block.owners.add();
                    let block = block.clone();
                    thread::spawn(move || own(&block))
                })
                .collect();
            own(&block);
            threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
            assert_eq!(block.freed.load(Ordering::Relaxed), 1);
        });
    }
}
