use super::matrices::{Matrices, Operand, first_of};
use cubecl::prelude::*;

/// Rows and columns of the result that a unit computes by itself, from what it loads by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    pub rows: u32,
    pub cols: u32,
}

/// A unit's elements of a product: every `down`th row from `row` on, every `across`th column from `col` on,
/// so that neighbouring units load neighbouring columns.
#[derive(CubeType, Clone)]
pub struct UnitBlock {
    pub which: u32,
    pub row: u32,
    pub col: u32,
    down: u32,
    across: u32,
}

/// The elements of unit `at`.
#[cube]
pub fn unit_block(at: u32, matrices: &Matrices, #[comptime] block: Block) -> UnitBlock {
    let down = (matrices.rows + comptime!(block.rows - 1)) / comptime!(block.rows);
    let across = (matrices.cols + comptime!(block.cols - 1)) / comptime!(block.cols);
    let row = at / across;
    UnitBlock { which: row / down, row: row % down, col: at % across, down, across }
}

/// The number of the unit's row `at`.
#[cube]
pub fn row_in(place: &UnitBlock, #[comptime] at: u32) -> u32 {
    place.row + comptime!(at) * place.down
}

/// The number of the unit's column `at`.
#[cube]
pub fn col_in(place: &UnitBlock, #[comptime] at: u32) -> u32 {
    place.col + comptime!(at) * place.across
}

/// The elements of a unit, row by row. Those beyond the last row or column are sums of the last.
#[cube]
pub fn block_sums<E: Numeric, S: Numeric>(
    lhs: &Operand<E>,
    rhs: &Operand<E>,
    matrices: &Matrices,
    place: &UnitBlock,
    #[comptime] block: Block,
) -> Array<S> {
    let mut sums = Array::<S>::new(comptime!((block.rows * block.cols) as usize));
    let mut from = Array::<u32>::new(comptime!(block.rows as usize));
    let mut to = Array::<u32>::new(comptime!(block.cols as usize));
    let mut factors = Array::<S>::new(comptime!(block.cols as usize));
    let left = first_of(&lhs.view, place.which, matrices);
    let right = first_of(&rhs.view, place.which, matrices);
    #[unroll]
    for i in 0..comptime!(block.rows) {
        let row = row_in(place, i);
        from[comptime!(i as usize)] = left + row.min(matrices.rows - 1u32) * lhs.view.by_row;
    }
    #[unroll]
    for j in 0..comptime!(block.cols) {
        let col = col_in(place, j);
        to[comptime!(j as usize)] = right + col.min(matrices.cols - 1u32) * rhs.view.by_col;
    }
    #[unroll]
    for k in 0..comptime!((block.rows * block.cols) as usize) {
        sums[k] = S::from_int(0);
    }
    let mut along = 0u32;
    let mut down = 0u32;
    for _ in 0..matrices.depth {
        #[unroll]
        for j in 0..comptime!(block.cols as usize) {
            factors[j] = S::cast_from(rhs.elements[(to[j] + down) as usize]);
        }
        #[unroll]
        for i in 0..comptime!(block.rows as usize) {
            let factor = S::cast_from(lhs.elements[(from[i] + along) as usize]);
            #[unroll]
            for j in 0..comptime!(block.cols as usize) {
                let at = comptime!(i * block.cols as usize + j);
                sums[at] += factor * factors[j];
            }
        }
        along += lhs.view.by_col;
        down += rhs.view.by_row;
    }
    sums
}
