//! The instructions that multiply, and the tiles of results that they compute.

use super::pack::{BLOCK, DEPTH, LINES};

/// Rows and columns of a tile of results: two panels of each factor.
pub const SIDE: usize = 2 * LINES;
/// Elements of a tile.
pub const TILE: usize = SIDE * SIDE;

/// Rows of the left factor: two panels, one after the other, or rows as they lie in the factor.
#[derive(Clone, Copy)]
pub struct LeftRows {
    pub start: *const u16,
    /// Elements from row to row, from block to block of a row, and from the first half of the rows to the
    /// second.
    pub row: usize,
    pub block: usize,
    pub half: usize,
}

impl LeftRows {
    /// Two panels of so many blocks.
    pub fn packed(start: *const u32, blocks: usize) -> Self {
        LeftRows { start: start.cast(), row: DEPTH, block: 2 * BLOCK, half: blocks * 2 * BLOCK }
    }

    /// Rows of neighbours, a whole number of blocks long.
    pub fn in_place(start: *const u16, step: usize) -> Self {
        LeftRows { start, row: step, block: DEPTH, half: LINES * step }
    }

    /// The start of a row of the tile.
    pub fn row(&self, row: usize) -> *const u16 {
        self.start.wrapping_add(row / LINES * self.half + row % LINES * self.row)
    }
}

/// Operands of a tile, `blocks` blocks long: rows of the left factor, and two panels of the right one, one
/// after the other.
#[derive(Clone, Copy)]
pub struct Panels {
    pub blocks: usize,
    pub left: LeftRows,
    pub right: *const u32,
    /// Rows of the tile that are wanted.
    pub rows: usize,
}

impl Panels {
    /// Elements from the first panel of the right factor to the second one.
    pub fn panel(&self) -> usize {
        self.blocks * BLOCK
    }
}

/// Instructions that multiply pairs.
pub trait Engine: Copy + Send + Sync {
    /// Whether rows of the left factor are as fast as panels of it.
    const READS_ROWS: bool;

    /// Prepares this thread.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn begin(self);

    /// Ends what [`Engine::begin`] began.
    ///
    /// # Safety
    /// As for [`Engine::begin`].
    unsafe fn end(self);

    /// Writes a tile of results, row by row; rows after those that are wanted may be left out.
    ///
    /// # Safety
    /// The processor has the instructions, the thread is prepared, the panels may be read and the tile
    /// written.
    unsafe fn multiply(self, panels: &Panels, tile: *mut f32);
}

/// A thread that is prepared, until it is dropped.
pub struct Begun<E: Engine>(E);

impl<E: Engine> Begun<E> {
    /// # Safety
    /// The processor has the instructions.
    pub unsafe fn new(engine: E) -> Self {
        // SAFETY: by the contract.
        unsafe { engine.begin() };
        Begun(engine)
    }
}

impl<E: Engine> Drop for Begun<E> {
    fn drop(&mut self) {
        // SAFETY: by the contract of `new`.
        unsafe { self.0.end() };
    }
}
