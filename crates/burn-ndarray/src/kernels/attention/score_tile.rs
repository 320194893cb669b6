//! Tiles of scores, and what a softmax knows of their rows.

use super::product::StridedRows;
use crate::elements::number::Number;
use crate::kernels::math::Float;
use core::slice;

/// Running state of the online softmax of one row.
#[derive(Clone, Copy, Debug)]
pub struct Softened<E> {
    /// Largest score so far.
    pub max: E,
    /// Sum of `e^(score - max)` so far.
    pub sum: E,
    /// Factor that rescales earlier sums after the latest tile.
    pub factor: E,
}

impl<E: Float + Number> Softened<E> {
    /// State before the first score.
    pub const NONE: Self =
        Softened { max: <E as Number>::LOWEST, sum: <E as Number>::ZERO, factor: <E as Float>::ONE };
}

/// Rows of a tile, and their length, a multiple of [`PAD`](super::PAD).
#[derive(Clone, Copy, Debug)]
pub struct Tile<E> {
    pub rows: StridedRows<*mut E>,
    pub len: usize,
}

impl<E> Tile<E> {
    /// # Safety
    /// The row may be read and written, by nothing else meanwhile.
    #[inline(always)]
    pub unsafe fn row<'a>(self, row: usize) -> &'a mut [E] {
        // SAFETY: by the contract.
        unsafe { slice::from_raw_parts_mut(self.rows.start.add(row * self.rows.step), self.len) }
    }
}
