//! Columns of a product after the last whole vector, copied so that each of them lies together.

use crate::gemm::single_columns::SINGLES;
use crate::memory::Buffer;
use core::cell::Cell;

/// Single columns of a right factor, gathered when they are first needed.
#[derive(Debug)]
pub struct GatheredColumns {
    /// Owner of what is at `start`.
    _room: Buffer,
    start: *mut f32,
    is_gathered: Cell<bool>,
}

impl GatheredColumns {
    /// Returns room for the single columns of a factor of this depth.
    pub fn new(depth: usize) -> Self {
        let mut room = Buffer::new(SINGLES * depth * size_of::<f32>());
        let start = room.as_mut_slice::<f32>().expect("a new buffer is unique").as_mut_ptr();
        GatheredColumns { _room: room, start, is_gathered: Cell::new(false) }
    }

    /// Forgets the columns: those of another factor come next.
    pub fn clear(&self) {
        self.is_gathered.set(false);
    }

    /// Returns the columns, which `gather` writes where they are not there yet.
    #[inline(always)]
    pub fn get(&self, gather: impl FnOnce(*mut f32)) -> *const f32 {
        if !self.is_gathered.replace(true) {
            gather(self.start);
        }
        self.start
    }
}
