//! The instructions that multiply, and the tiles of results that they compute.

use super::pack::{BLOCK, LINES};

/// Rows and columns of a tile of results: two panels of each factor.
pub const SIDE: usize = 2 * LINES;
/// Elements of a tile.
pub const TILE: usize = SIDE * SIDE;

/// Panels of a tile, `blocks` blocks long: those of the left factor and those of the right one, each of them
/// two panels, one after the other.
#[derive(Clone, Copy)]
pub struct Panels {
    pub blocks: usize,
    pub left: *const u32,
    pub right: *const u32,
    /// Rows of the tile that are wanted.
    pub rows: usize,
}

impl Panels {
    /// Elements from the first panel to the second one.
    pub fn panel(&self) -> usize {
        self.blocks * BLOCK
    }
}

/// Instructions that multiply pairs.
pub trait Engine: Copy + Send + Sync {
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
