use super::block::{self, Header};
use super::out_of_memory::out_of_memory;
use super::owners::Owners;
#[cfg(feature = "std")]
use super::packed_copy::Kept;
#[cfg(feature = "std")]
use super::pool;
use super::room::{self, Room};
#[cfg(not(feature = "std"))]
use super::system as pool;
use burn_backend::SharedBytes;
use bytemuck::Pod;
use core::ops::Range;
use core::ptr::NonNull;
use core::slice;

/// Memory that several tensors may share, from the pool and aligned to 64 bytes (16 without `std`). A clone
/// is another owner.
pub struct Buffer(NonNull<Header>);

// SAFETY: owners on several threads only read; writing needs the only owner.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Allocates `len` bytes, uninitialized: the caller must write them.
    ///
    /// Where there is none, this ends the call: see [`out_of_memory`].
    #[inline]
    pub fn new(len: usize) -> Self {
        match Self::try_new(len) {
            Some(buffer) => buffer,
            None => out_of_memory(None, Some(len)),
        }
    }

    /// [`Buffer::new`], if the budget of the call and the machine have memory for it.
    #[inline]
    pub fn try_new(len: usize) -> Option<Self> {
        let room = Room::of(len)?;
        let mut block = pool::take(len)?;
        // Given back when the buffer is dropped.
        core::mem::forget(room);
        // SAFETY: the pool lends a block to one owner.
        let header = unsafe { block.as_mut() };
        header.len = len;
        header.data = block::elements(block);
        header.owners = Owners::one();
        Some(Buffer(block))
    }

    /// Refers to bytes of another owner, such as a memory-mapped file, which is never written. `None` where
    /// the range does not exist, or the machine has no memory for a header.
    pub fn try_foreign(owner: SharedBytes, range: Range<usize>) -> Option<Self> {
        let (data, len) = {
            let bytes = (*owner).as_ref().get(range)?;
            (bytes.as_ptr().cast_mut(), bytes.len())
        };
        let mut buffer = Self::try_new(size_of::<SharedBytes>())?;
        // SAFETY: the buffer is new, so that no other handle refers to its header; its block has room for the
        // owner, aligned for anything.
        unsafe {
            block::elements(buffer.0).cast::<SharedBytes>().write(owner);
            let header = buffer.0.as_mut();
            (header.data, header.len) = (data, len);
        }
        Some(buffer)
    }

    /// Whether the elements lie in memory of another owner.
    #[inline]
    fn is_foreign(&self) -> bool {
        self.header().data != block::elements(self.0)
    }

    #[inline]
    fn header(&self) -> &Header {
        // SAFETY: the block lives as long as it has owners; the header is only written while there is one.
        unsafe { self.0.as_ref() }
    }

    /// Address of the first element.
    #[inline]
    pub fn as_ptr(&self) -> *const u8 {
        self.header().data
    }

    /// All bytes, as elements.
    pub fn as_slice<E: Pod>(&self) -> &[E] {
        // SAFETY: there are `len` initialised bytes, which are not written while they are shared.
        bytemuck::cast_slice(unsafe { slice::from_raw_parts(self.as_ptr(), self.header().len) })
    }

    /// Returns the data derived from the elements, kept until they are written.
    #[cfg(feature = "std")]
    pub fn kept(&self) -> &Kept {
        &self.header().kept
    }

    /// Whether this is the only owner, of memory that may be written.
    #[inline]
    pub fn is_unique(&self) -> bool {
        self.header().owners.is_one() && !self.is_foreign()
    }

    /// All bytes for writing, if this is the only owner.
    pub fn as_mut_slice<E: Pod>(&mut self) -> Option<&mut [E]> {
        if !self.is_unique() {
            return None;
        }
        // SAFETY: the only owner is borrowed mutably.
        #[cfg(feature = "std")]
        unsafe { self.0.as_mut() }.kept.forget();
        let len = self.header().len;
        // SAFETY: as in `as_slice`, and the only owner is borrowed mutably.
        let bytes = unsafe { slice::from_raw_parts_mut(block::elements(self.0), len) };
        Some(bytemuck::cast_slice_mut(bytes))
    }
}

impl Clone for Buffer {
    #[inline]
    fn clone(&self) -> Self {
        self.header().owners.add();
        Buffer(self.0)
    }
}

impl Drop for Buffer {
    #[inline]
    fn drop(&mut self) {
        if !self.header().owners.remove() {
            return;
        }
        // SAFETY: this was the last owner.
        unsafe {
            #[cfg(feature = "std")]
            self.0.as_mut().kept.forget();
            if self.is_foreign() {
                block::elements(self.0).cast::<SharedBytes>().drop_in_place();
                room::give_back(size_of::<SharedBytes>());
            } else {
                room::give_back(self.header().len);
            }
            pool::put(self.0);
        }
    }
}

impl core::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Buffer({} bytes)", self.header().len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_owner_may_write() {
        let mut x = Buffer::new(16);
        x.as_mut_slice::<u32>().expect("unique").copy_from_slice(&[1, 2, 3, 4]);
        let y = x.clone();
        assert!(x.as_mut_slice::<u32>().is_none());
        assert_eq!(y.as_slice::<u32>(), [1, 2, 3, 4]);
        drop(y);
        assert!(x.as_mut_slice::<u32>().is_some());
    }

    #[test]
    fn elements_are_aligned_to_a_cache_line() {
        for len in [0, 1, 64, 1000, 1 << 20] {
            assert_eq!(Buffer::new(len).as_ptr() as usize % block::ALIGN, 0);
            assert_eq!(Buffer::new(len).as_slice::<u8>().len(), len);
        }
    }

    #[test]
    fn bytes_of_another_owner_are_read_and_never_written() {
        let owner: alloc::sync::Arc<Vec<u8>> = alloc::sync::Arc::new((0..100).collect());
        let mut x = Buffer::try_foreign(owner.clone(), 10..50).expect("the range exists");
        assert!(Buffer::try_foreign(owner.clone(), 90..101).is_none());
        assert_eq!((x.as_ptr(), x.as_slice::<u8>()), (owner[10..].as_ptr(), &owner[10..50]));
        assert!(!x.is_unique() && x.as_mut_slice::<u8>().is_none());
        let y = x.clone();
        drop(x);
        assert_eq!(y.as_slice::<u8>().len(), 40);
        assert_eq!(alloc::sync::Arc::strong_count(&owner), 2);
        drop(y);
        assert_eq!(alloc::sync::Arc::strong_count(&owner), 1);
        assert!(Buffer::new(16).is_unique());
    }

    #[test]
    fn a_dropped_block_is_lent_again() {
        let address = Buffer::new(12345).as_ptr();
        assert_eq!(Buffer::new(12345).as_ptr(), address);
    }

    // There are no threads in WebAssembly.
    #[cfg(not(target_family = "wasm"))]
    #[test]
    fn blocks_cross_threads() {
        for _ in 0..50 {
            let made: Vec<Buffer> = (0..20).map(|k| Buffer::new(k * 100)).collect();
            let owned = made.clone();
            let other =
                std::thread::spawn(move || owned.iter().map(|b| b.as_slice::<u8>().len()).sum::<usize>());
            drop(made);
            assert_eq!(other.join().expect("no panic"), 19_000);
        }
        pool::trim();
    }
}
