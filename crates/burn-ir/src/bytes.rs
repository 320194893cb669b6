use crate::pages;
use crate::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use core::panic::{RefUnwindSafe, UnwindSafe};

/// Shared owner of bytes, such as a memory-mapped file.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The bytes of elements, aligned for their type.
pub enum Bytes {
    /// Words that hold the bytes, and the number of bytes.
    Owned { words: Vec<u64>, len: usize },
    /// Shared range of bytes; copied on write.
    Shared { owner: SharedBytes, range: Range<usize> },
}

// Nothing is changed through a shared owner, so a panic cannot leave it half changed.
impl RefUnwindSafe for Bytes {}
impl UnwindSafe for Bytes {}

impl Clone for Bytes {
    fn clone(&self) -> Self {
        match self {
            Bytes::Owned { words, len } => {
                Bytes::Owned { words: copied(words).expect("there is memory for a copy"), len: *len }
            }
            Bytes::Shared { owner, range } => Bytes::Shared { owner: owner.clone(), range: range.clone() },
        }
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

/// Copies words into uninitialized memory; `None` when the allocation fails.
fn copied(words: &[u64]) -> Option<Vec<u64>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(words.len()).ok()?;
    pages::advise(copy.spare_capacity_mut());
    copy.extend_from_slice(words);
    Some(copy)
}

impl Bytes {
    pub fn from_slice(bytes: &[u8]) -> Self {
        Bytes::try_from_slice(bytes).expect("there is memory for a copy")
    }

    /// Copies bytes; `None` when the allocation fails.
    pub fn try_from_slice(bytes: &[u8]) -> Option<Self> {
        if let Ok(words) = bytemuck::try_cast_slice(bytes) {
            return Some(Bytes::Owned { words: copied(words)?, len: bytes.len() });
        }
        let mut copy = Bytes::zeroed(bytes.len())?;
        copy.as_mut_slice().copy_from_slice(bytes);
        Some(copy)
    }

    /// Shares the bytes of `owner`, or copies them where they are not aligned for elements of `size`; `None`
    /// when that allocation fails.
    pub fn try_shared(owner: SharedBytes, range: Range<usize>, size: usize) -> Option<Self> {
        let bytes = (*owner).as_ref().get(range.clone())?;
        if bytes.as_ptr().addr().is_multiple_of(size) {
            return Some(Bytes::Shared { owner, range });
        }
        Bytes::try_from_slice(bytes)
    }

    /// Allocates zeros; `None` when the allocation fails.
    pub fn zeroed(len: usize) -> Option<Self> {
        let mut words = bytemuck::allocation::try_zeroed_vec(len.div_ceil(8)).ok()?;
        pages::advise(&mut words);
        Some(Bytes::Owned { words, len })
    }

    pub fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Owned { words, len } => &bytemuck::cast_slice(words)[..*len],
            // The range was checked when it was shared; it is missing only if the owner changed its length.
            Bytes::Shared { owner, range } => &(**owner).as_ref()[range.clone()],
        }
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        if let Bytes::Shared { .. } = self {
            *self = Bytes::from_slice(self.as_slice());
        }
        match self {
            Bytes::Owned { words, len } => &mut bytemuck::cast_slice_mut(words)[..*len],
            Bytes::Shared { .. } => unreachable!("copied above"),
        }
    }
}
