//! Large blocks, straight from the system: in pages of 2 MiB where it has them, untouched until the first
//! write. The rest of a block after whole pages is one more if it fills most of it, and otherwise lies
//! in small ones.
//!
//! A page of 4 KiB costs a fault when it is first touched, and an entry of a small table for as long as it is
//! used. Miri, which cannot unmap a part of a mapping, does without.

use core::ffi::c_void;
use core::ptr;

/// Size and alignment of a huge page.
const PAGE: usize = 2 << 20;

/// Whether a block is large enough; such blocks are whole small pages.
pub fn suits(size: usize) -> bool {
    size >= PAGE - PAGE / 8
}

/// Bytes that are mapped for a block: at most a seventh more than it has.
fn mapped(size: usize) -> usize {
    let pages = size.checked_next_multiple_of(PAGE).unwrap_or(size);
    if pages - size <= size / 7 { pages } else { size }
}

/// Memory filled with zeros and aligned to a huge page, or null.
pub fn map(size: usize) -> *mut u8 {
    let size = mapped(size);
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let Some(reserved) = size.checked_add(PAGE) else { return ptr::null_mut() };
    // SAFETY: a new mapping touches no other.
    let start = unsafe { libc::mmap(ptr::null_mut(), reserved, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    let before = start.cast::<u8>().align_offset(PAGE);
    let block = start.cast::<u8>().wrapping_add(before);
    // SAFETY: the bytes before and after the block belong to the new mapping and have no user. Whether
    // there are huge pages changes no content, so that a refusal needs no answer.
    unsafe {
        if before > 0 {
            libc::munmap(start, before);
        }
        if before < PAGE {
            libc::munmap(block.wrapping_add(size).cast::<c_void>(), PAGE - before);
        }
        libc::madvise(block.cast::<c_void>(), size, libc::MADV_HUGEPAGE);
    }
    block
}

/// # Safety
/// `block` is from [`map`] with the same size, and has no other user.
pub unsafe fn unmap(block: *mut u8, size: usize) {
    // SAFETY: by the contract. The block is a mapping of its own, so that this cannot fail.
    unsafe { libc::munmap(block.cast(), mapped(size)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_aligned_and_zero_and_may_be_written() {
        for size in [7 << 18, 5 << 20] {
            let block = map(size);
            assert!(!block.is_null() && (block as usize).is_multiple_of(PAGE));
            // SAFETY: the block is ours.
            unsafe {
                let bytes = core::slice::from_raw_parts_mut(block, size);
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(1);
                unmap(block, size);
            }
        }
    }

    #[test]
    fn at_most_a_seventh_more_is_mapped() {
        for (size, bytes) in [(7 << 18, 2 << 20), (2 << 20, 2 << 20), (5 << 19, 5 << 19), (7 << 19, 4 << 20)]
        {
            assert_eq!(mapped(size), bytes);
        }
        assert_eq!(mapped(usize::MAX), usize::MAX);
    }
}
