//! Products of all rows of two blocks with each other.

use crate::block_jacobi::{Block, Shared, row_of};
use crate::jacobi::Pair;
use crate::tile::loaded_at;
use cubecl::prelude::*;

/// Teams of units that take columns in turn.
const TEAMS: u32 = 4;

impl Block {
    fn of_team(self) -> u32 {
        self.rows * self.rows / TEAMS
    }

    /// Rows between those of a unit, which has four, and likewise columns.
    fn quarter(self) -> u32 {
        self.rows / 2
    }
}

/// Rows of matrices, of which so many columns count.
#[derive(CubeType, Clone)]
pub struct RowLayout {
    pub base: u32,
    pub width: u32,
    pub size: u32,
    pub end: u32,
}

/// The elements of a tile that a unit brings.
#[cube]
fn bring<E: Float>(
    x: &Array<E>,
    brought: &mut Array<E>,
    rows: &RowLayout,
    pair: &Pair,
    start: u32,
    #[comptime] block: Block,
) {
    #[unroll]
    for step in 0..4u32 {
        let (row, column) = loaded_at(step, block);
        let from = row_of(row, pair, block);
        let at = start + column;
        let mut value = E::new(0.0);
        if from < rows.size && at < rows.end {
            value = x[(rows.base + from * rows.width + at) as usize];
        }
        brought[comptime!(step as usize)] = value;
    }
}

/// Makes the products the matrix that is shared. A tile of the columns is where rotations come to later.
#[cube]
pub fn find_products<E: Float>(
    x: &Array<E>,
    rows: &RowLayout,
    pair: &Pair,
    shared: &mut Shared<E>,
    #[comptime] block: Block,
) {
    let pitch = comptime!(block.tile_pitch());
    let quarter = comptime!(block.quarter());
    let team = UNIT_POS / comptime!(block.of_team());
    let member = UNIT_POS % comptime!(block.of_team());
    let (i, j) = (member / quarter, member % quarter);
    let mut sums = Array::<E>::new(16usize);
    #[unroll]
    for at in 0..16usize {
        sums[at] = E::new(0.0);
    }
    let mut brought = Array::<E>::new(4usize);
    bring::<E>(x, &mut brought, rows, pair, 0u32, block);
    let mut start = 0u32;
    while start < rows.end {
        #[unroll]
        for step in 0..4u32 {
            let (row, column) = loaded_at(step, block);
            shared.change[(row * pitch + column) as usize] = brought[comptime!(step as usize)];
        }
        sync_cube();
        start += comptime!(block.both());
        // Loads of the next tile are under way meanwhile.
        bring::<E>(x, &mut brought, rows, pair, start, block);
        #[unroll]
        for step in 0..comptime!(block.both() / TEAMS) {
            let k = team + comptime!(step * TEAMS);
            #[unroll]
            for down in 0..4u32 {
                let one = shared.change[((i + comptime!(down * block.quarter())) * pitch + k) as usize];
                #[unroll]
                for across in 0..4u32 {
                    let other =
                        shared.change[((j + comptime!(across * block.quarter())) * pitch + k) as usize];
                    let at = comptime!((4 * down + across) as usize);
                    sums[at] += one * other;
                }
            }
        }
        sync_cube();
    }
    #[unroll]
    for turn in 0..TEAMS {
        if team == turn {
            #[unroll]
            for at in 0..16u32 {
                let row = i + comptime!(at / 4 * block.quarter());
                let column = j + comptime!(at % 4 * block.quarter());
                let place = (row * comptime!(block.pitch()) + column) as usize;
                let own = sums[comptime!(at as usize)];
                if comptime!(turn == 0) {
                    shared.square[place] = own;
                } else {
                    shared.square[place] = shared.square[place] + own;
                }
            }
        }
        sync_cube();
    }
}
