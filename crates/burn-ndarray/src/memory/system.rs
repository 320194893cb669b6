//! Without an operating system there is no pool: blocks come from the global allocator and go back to it.

use super::block::{self, Header, class_of};
use core::ptr::NonNull;

/// A block for `len` bytes, if there is memory for it.
pub fn take(len: usize) -> Option<NonNull<Header>> {
    block::allocate(class_of(len)?)
}

/// # Safety
/// `block` is from [`take`], and has no other user.
pub unsafe fn put(block: NonNull<Header>) {
    // SAFETY: by the contract.
    unsafe { block::free(block) };
}

/// Does nothing: free blocks are not kept.
pub fn trim() {}
