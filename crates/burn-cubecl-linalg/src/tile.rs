//! Tiles of rows in shared memory, which what has changed is multiplied with.

use crate::block_jacobi::Block;
use cubecl::prelude::*;

impl Block {
    /// Row stride of a tile.
    pub fn tile_pitch(self) -> u32 {
        self.both() + 1
    }

    /// Rows of a tile that the units load at a time.
    pub fn down(self) -> u32 {
        self.rows / 2
    }
}

/// Elements of a tile that a unit computes: of two rows, each in two columns.
#[derive(CubeType, Clone)]
pub struct Four<E: Float> {
    pub left: E,
    pub right: E,
    pub left_below: E,
    pub right_below: E,
}

/// The row and the column of a tile that a unit loads, a step at a time: neighbours in a row.
#[cube]
pub fn loaded_at(#[comptime] step: u32, #[comptime] block: Block) -> (u32, u32) {
    let both = comptime!(block.both());
    (UNIT_POS / both + comptime!(step * block.down()), UNIT_POS % both)
}

/// Element `at` of four, in the order of their offsets.
#[cube]
pub fn element<E: Float>(four: &Four<E>, #[comptime] at: u32) -> E {
    match comptime!(at) {
        0 => four.left,
        1 => four.right,
        2 => four.left_below,
        _ => four.right_below,
    }
}

/// `x + change x`, four elements of it for each unit: in its row and the one a block further, and in columns
/// likewise.
#[cube]
pub fn changed<E: Float>(
    change: &SharedMemory<E>,
    x: &SharedMemory<E>,
    #[comptime] change_pitch: u32,
    #[comptime] block: Block,
) -> Four<E> {
    let rows = comptime!(block.rows);
    let pitch = comptime!(block.tile_pitch());
    let (i, j) = (UNIT_POS / rows, UNIT_POS % rows);
    let mut left = E::new(0.0);
    let mut right = E::new(0.0);
    let mut left_below = E::new(0.0);
    let mut right_below = E::new(0.0);
    #[unroll]
    for k in 0..comptime!(block.both()) {
        let above = change[(i * change_pitch + k) as usize];
        let below = change[((i + rows) * change_pitch + k) as usize];
        let one = x[(k * pitch + j) as usize];
        let other = x[(k * pitch + j + rows) as usize];
        left += above * one;
        right += above * other;
        left_below += below * one;
        right_below += below * other;
    }
    Four::<E> {
        left: left + x[(i * pitch + j) as usize],
        right: right + x[(i * pitch + j + rows) as usize],
        left_below: left_below + x[((i + rows) * pitch + j) as usize],
        right_below: right_below + x[((i + rows) * pitch + j + rows) as usize],
    }
}

/// Leaves the four elements in a tile, rows for columns.
#[cube]
pub fn keep_turned<E: Float>(x: &mut SharedMemory<E>, four: &Four<E>, #[comptime] block: Block) {
    let rows = comptime!(block.rows);
    let pitch = comptime!(block.tile_pitch());
    let at = UNIT_POS % rows * pitch + UNIT_POS / rows;
    let far = at + rows * pitch;
    x[at as usize] = four.left;
    x[far as usize] = four.right;
    x[(at + rows) as usize] = four.left_below;
    x[(far + rows) as usize] = four.right_below;
}
