//! Blocks of memory: a header with the count of owners, then the elements.

#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
use super::huge;
use super::owners::Owners;
#[cfg(feature = "std")]
use super::packed_copy::Kept;
use alloc::alloc::{Layout, alloc_zeroed, dealloc};
use burn_backend::memory;
use core::ptr::NonNull;

/// Alignment of the elements: a cache line, and the widest vector register. Microcontrollers have neither,
/// and little memory.
pub const ALIGN: usize = if cfg!(feature = "std") { 64 } else { 16 };

/// Header in front of the elements, in the same block.
#[cfg_attr(feature = "std", repr(C, align(64)))]
#[cfg_attr(not(feature = "std"), repr(C, align(16)))]
pub struct Header {
    /// Owners of the block; of no meaning while it lies in the pool.
    pub owners: Owners,
    /// Bytes of elements that the owner asked for.
    pub len: usize,
    pub class: usize,
    /// First element: after this header, or in memory of another owner, which then lies after the header.
    pub data: *mut u8,
    /// The next free block of the class, while this one lies in the pool.
    pub next: Option<NonNull<Header>>,
    /// Data derived from the elements (as a packed copy), kept until they are written.
    #[cfg(feature = "std")]
    pub kept: Kept,
}

const HEADER: usize = size_of::<Header>();

/// Smallest block, and the class 0.
#[cfg(feature = "std")]
const SMALLEST_LOG: usize = 7;

/// Number of size classes: four to each doubling.
#[cfg(feature = "std")]
pub const CLASSES: usize = (usize::BITS as usize - SMALLEST_LOG) * 4;

/// The class of blocks that hold `len` bytes of elements: at most a quarter is unused. None are larger than
/// half of the address space.
#[cfg(feature = "std")]
#[inline]
pub fn class_of(len: usize) -> Option<usize> {
    if len > isize::MAX as usize - HEADER {
        return None;
    }
    let last = (len + HEADER - 1).max((1 << SMALLEST_LOG) - 1);
    let log = last.ilog2() as usize;
    let quarter = (last >> (log - 2)) & 3;
    Some((log + 1 - SMALLEST_LOG) * 4 + quarter - 3)
}

/// The class of blocks that hold `len` bytes of elements. No pool lends blocks of a class: it is the size of
/// its blocks.
#[cfg(not(feature = "std"))]
#[inline]
pub fn class_of(len: usize) -> Option<usize> {
    (len <= isize::MAX as usize - HEADER - ALIGN).then(|| (len + HEADER).next_multiple_of(ALIGN))
}

#[cfg(not(feature = "std"))]
#[inline]
pub fn block_size(class: usize) -> usize {
    class
}

/// Bytes of a block of `class`, with its header.
#[cfg(feature = "std")]
#[inline]
pub fn block_size(class: usize) -> usize {
    let (log, quarter) = (class.div_ceil(4) + SMALLEST_LOG - 1, (class + 3) % 4);
    (5 + quarter) << (log - 2)
}

/// Returns the allocation layout of a class; all sizes are below half of the address space.
fn layout(class: usize) -> Option<Layout> {
    Layout::from_size_align(block_size(class), ALIGN).ok()
}

/// Allocates a block filled with zeros, if memory is available.
///
/// Every byte of a block is initialised from here on, and every element type accepts every pattern of bits:
/// that is why a block may be lent again, as any type, without being cleared.
pub fn allocate(class: usize) -> Option<NonNull<Header>> {
    let layout = layout(class)?;
    if !memory::is_available(layout.size()) {
        return None;
    }
    #[cfg(all(feature = "std", target_os = "linux", not(miri)))]
    let block = if huge::suits(layout.size()) { huge::map(layout.size()) } else { plain(layout) };
    #[cfg(not(all(feature = "std", target_os = "linux", not(miri))))]
    let block = plain(layout);
    let header = NonNull::new(block.cast::<Header>())?;
    // SAFETY: the block is ours, aligned, and larger than a header. Zeros are a valid header but for the
    // class.
    unsafe { (*header.as_ptr()).class = class };
    Some(header)
}

fn plain(layout: Layout) -> *mut u8 {
    // SAFETY: the layout has a size of at least a header.
    unsafe { alloc_zeroed(layout) }
}

/// Gives a block back to the system.
///
/// # Safety
/// `block` is from [`allocate`] and has no other user.
pub unsafe fn free(block: NonNull<Header>) {
    // SAFETY: by the contract.
    let layout = layout(unsafe { block.as_ref().class }).expect("it was the layout of an allocation");
    #[cfg(all(feature = "std", target_os = "linux", not(miri)))]
    if huge::suits(layout.size()) {
        // SAFETY: by the contract, and the class is that of the allocation.
        return unsafe { huge::unmap(block.as_ptr().cast(), layout.size()) };
    }
    // SAFETY: as above.
    unsafe { dealloc(block.as_ptr().cast(), layout) };
}

/// Address of the elements.
#[inline]
pub fn elements(block: NonNull<Header>) -> *mut u8 {
    block.as_ptr().cast::<u8>().wrapping_add(HEADER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(feature = "std", target_pointer_width = "64"))]
    #[test]
    fn a_block_that_no_machine_has_is_none() {
        // 2^42 bytes is memory that Linux may promise; 2^56 more than an address of today's processors can
        // say.
        for len in [1 << 42, 1 << 56, isize::MAX as usize - HEADER, usize::MAX] {
            assert_eq!(class_of(len).and_then(allocate), None, "{len} bytes");
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn a_class_holds_its_elements_and_wastes_at_most_a_quarter() {
        for len in (0..5000).chain([1 << 20, (1 << 20) + 1, (1 << 31) - 7]) {
            let size = block_size(class_of(len).expect("a class"));
            assert!(size >= len + HEADER, "{len} bytes in a block of {size}");
            assert!(
                size <= (1 << SMALLEST_LOG) || (size - 1) * 4 <= (len + HEADER) * 5,
                "{len} bytes waste {size}"
            );
        }
        assert_eq!(class_of(0), Some(0));
        assert!(class_of((usize::MAX >> 1) - HEADER).is_some_and(|class| class < CLASSES));
    }
}
