//! Rotations of rows until their first elements are orthogonal: in a round, the blocks of rows form pairs.

use crate::block_jacobi::{Block, MOST, Order, Rule, Shared, most_seen, row_of, shared, turn_all};
use crate::epsilon::epsilon;
use crate::jacobi::{Pair, deferral_after, pair_at};
use crate::jacobi_sweeps::{RoundArrays, SweepKernels, SweepWords, Sweeps, block_pair, end_block_pair};
use crate::panel::settle;
use crate::products::{RowLayout, find_products};
use crate::tile::{changed, element, loaded_at};
use crate::working::sizes;
use burn_backend::HasSpec;
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{A, Body, Kernel};
use cubecl::prelude::*;

/// Longer rows are worth cubes that share them.
const LONG: usize = 1024;

/// Returns the rotation thresholds. Rows that are orthogonal up to rounding are not rotated; rows of rounding
/// noise have no direction, and would be rotated in every sweep.
#[cube]
pub fn rule<E: Float>(long: u32, squares: E, deferral: E, #[comptime] is_wide: bool) -> Rule<E> {
    let epsilon = epsilon::<E>(is_wide);
    Rule::<E> {
        relative: E::new(2.0) * epsilon * E::cast_from(long).sqrt(),
        absolute: E::new(0.0),
        nothing: squares * epsilon * epsilon * E::new(4.0),
        scale: E::new(0.0),
        deferral,
        // The root of a number whose square is in range.
        unit: E::new(1e18) / squares,
    }
}

/// Nothing has changed so far.
#[cube]
pub fn change_nothing<E: Float>(shared: &mut Shared<E>, #[comptime] block: Block) {
    #[unroll]
    for step in 0..4u32 {
        let (row, column) = loaded_at(step, block);
        shared.change[(row * comptime!(block.pitch()) + column) as usize] = E::new(0.0);
    }
}

/// Rotations of the block pairs of a round: a cube for each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RotateRows {
    block: Block,
    is_wide: bool,
}

#[cube]
fn rotate_rows<E: Float>(
    x: &Array<E>,
    squares: &Array<E>,
    round: &mut RoundArrays<E>,
    words: &SweepWords,
    #[comptime] kernel: RotateRows,
) {
    let block = comptime!(kernel.block);
    let mut shared = shared::<E>(block);
    let both = comptime!(block.both());
    let (size, long) = (words.size, words.long);
    let width = long + size;
    let pairs = (size + both - 1u32) / both;
    let cube = CUBE_POS as u32;
    let matrix = cube / pairs;
    if matrix < words.batch {
        let block_pair = block_pair::<E>(&round.seen, words, cube, matrix, pairs);
        let end = select(block_pair.is_active, long, 0u32);
        let rows = RowLayout { base: matrix * size * width, width, size, end };
        find_products::<E>(x, &rows, &block_pair.pair, &mut shared, block);
        change_nothing::<E>(&mut shared, block);
        let order = Order::between_blocks(words.round, block_pair.is_active, block);
        let rule = rule::<E>(long, squares[matrix as usize], block_pair.deferral, comptime!(kernel.is_wide));
        turn_all::<E>(&mut shared, &order, &rule, block);
        let is_turned = shared.turned[0] > 0u32;
        if is_turned {
            #[unroll]
            for step in 0..4u32 {
                let (row, column) = loaded_at(step, block);
                round.changes[((cube * both + row) * both + column) as usize] =
                    shared.change[(row * comptime!(block.pitch()) + column) as usize];
            }
        }
        end_block_pair::<E>(round, &shared, &block_pair, is_turned, words, block);
    }
}

impl Kernel for RotateRows {
    const NAME: &'static str = "rotate_rows";

    fn expand(&self, body: &mut Body) {
        let (x, squares, round) = (body.array(0), body.array(1), RoundArrays::of(body, 2));
        let words = body.read::<SweepWords>();
        rotate_rows::expand::<A>(&mut body.scope, x, squares, round, words, *self);
    }
}

/// Layout of what changes a tile: the row stride, of rows of two blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ChangeLayout {
    block: Block,
    pitch: u32,
}

/// A tile of the columns of two blocks, from shared memory and what changes it.
#[cube]
fn turn_tile<E: Float>(
    x: &mut Array<E>,
    change: &SharedMemory<E>,
    tile: &mut SharedMemory<E>,
    rows: &RowLayout,
    pair: &Pair,
    start: u32,
    #[comptime] layout: ChangeLayout,
) {
    let block = comptime!(layout.block);
    #[unroll]
    for step in 0..4u32 {
        let (row, column) = loaded_at(step, block);
        let from = row_of(row, pair, block);
        let at = start + column;
        let mut value = E::new(0.0);
        if from < rows.size && at < rows.width {
            value = x[(rows.base + from * rows.width + at) as usize];
        }
        tile[(row * comptime!(block.tile_pitch()) + column) as usize] = value;
    }
    sync_cube();
    let four = changed::<E>(change, tile, comptime!(layout.pitch), block);
    sync_cube();
    #[unroll]
    for at in 0..4u32 {
        let row = UNIT_POS / comptime!(block.rows) + comptime!(at / 2 * block.rows);
        let column = start + UNIT_POS % comptime!(block.rows) + comptime!(at % 2 * block.rows);
        let from = row_of(row, pair, block);
        if from < rows.size && column < rows.width {
            x[(rows.base + from * rows.width + column) as usize] = element::<E>(&four, at);
        }
    }
}

/// Kernel that applies the rotations of a round to the rows: one cube for each pair of blocks and some
/// columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ApplyRows {
    block: Block,
}

#[cube]
fn apply_to_rows<E: Float>(
    changes: &Array<E>,
    is_changed: &Array<u32>,
    x: &mut Array<E>,
    words: &SweepWords,
    #[comptime] block: Block,
) {
    let (size, long) = (words.size, words.long);
    let pitch = comptime!(block.tile_pitch());
    let both = comptime!(block.both());
    let mut tile = SharedMemory::<E>::new(comptime!((block.both() * block.tile_pitch()) as usize));
    let mut change = SharedMemory::<E>::new(comptime!((block.both() * block.tile_pitch()) as usize));
    let width = long + size;
    let pairs = (size + both - 1u32) / both;
    let tiles = (width + both - 1u32) / both;
    let cube = CUBE_POS as u32;
    let block_pair = cube / tiles;
    let matrix = block_pair / pairs;
    if matrix < words.batch {
        let pair = pair_at(block_pair % pairs, words.round, pairs);
        let works = is_changed[block_pair as usize] > 0u32;
        let rows = RowLayout { base: matrix * size * width, width, size, end: long };
        // A loop, and no branch: units wait for each other in it.
        for _ in 0..select(works, 1u32, 0u32) {
            #[unroll]
            for step in 0..4u32 {
                let (row, column) = loaded_at(step, block);
                change[(row * pitch + column) as usize] =
                    changes[((block_pair * both + row) * both + column) as usize];
            }
            let start = cube % tiles * both;
            let layout = comptime!(ChangeLayout { block, pitch: block.tile_pitch() });
            turn_tile::<E>(x, &change, &mut tile, &rows, &pair, start, layout);
        }
    }
}

impl Kernel for ApplyRows {
    const NAME: &'static str = "apply_to_rows";

    fn expand(&self, body: &mut Body) {
        let (changes, is_changed) = (body.array(0), body.array::<u32>(1));
        let x = body.array(2);
        let words = body.read::<SweepWords>();
        apply_to_rows::expand::<A>(&mut body.scope, changes, is_changed, x, words, self.block);
    }
}

/// All sweeps of matrices whose rows fit into one pair of blocks: a cube for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RotateAllRows {
    block: Block,
    is_wide: bool,
}

#[cube]
fn rotate_all_rows<E: Float>(
    squares: &Array<E>,
    x: &mut Array<E>,
    words: &SweepWords,
    #[comptime] kernel: RotateAllRows,
) {
    let block = comptime!(kernel.block);
    let (size, long) = (words.size, words.long);
    let mut shared = shared::<E>(block);
    let width = long + size;
    let matrix = CUBE_POS as u32;
    if matrix < words.batch {
        let pair = Pair { low: 0u32, high: 1u32 };
        let rows = RowLayout { base: matrix * size * width, width, size, end: long };
        let order = Order::of_all(size);
        let mut deferral = E::new(0.0);
        let mut left = comptime!(MOST).runtime();
        while left > 0u32 {
            find_products::<E>(x, &rows, &pair, &mut shared, block);
            change_nothing::<E>(&mut shared, block);
            let rule = rule::<E>(long, squares[matrix as usize], deferral, comptime!(kernel.is_wide));
            turn_all::<E>(&mut shared, &order, &rule, block);
            let is_turned = shared.turned[0] > 0u32;
            let seen = most_seen::<E>(&shared, block);
            deferral = deferral_after::<E>(seen);
            left = select(seen > E::new(0.0), left - 1u32, 0u32);
            let mut start = select(is_turned, 0u32, width);
            while start < width {
                let layout = comptime!(ChangeLayout { block, pitch: block.pitch() });
                turn_tile::<E>(x, &shared.change, &mut shared.square, &rows, &pair, start, layout);
                start += comptime!(block.both());
            }
            settle();
        }
    }
}

impl Kernel for RotateAllRows {
    const NAME: &'static str = "rotate_all_rows";

    fn expand(&self, body: &mut Body) {
        let (squares, x) = (body.array(0), body.array(1));
        let words = body.read::<SweepWords>();
        rotate_all_rows::expand::<A>(&mut body.scope, squares, x, words, *self);
    }
}

/// Whether all rotations of these rows are one launch.
pub fn is_one_launch(rows: &CubeTensor) -> bool {
    let [_, size, long] = sizes(rows);
    Block::of(size, rows.dtype(), rows.engine()).is_all(size) && long <= LONG
}

/// Turns rows, of which the first `long` columns count, until those are at right angles. Elements are neither
/// very large nor very small; `squares` are the sums of their squares.
pub fn turn_rows(x: &CubeTensor, squares: &CubeTensor, long: usize) {
    let sweeps = Sweeps { x, scale: squares, long };
    let (block, is_wide) = sweeps.block();
    let [_, size, width] = sizes(x);
    if block.is_all(size) {
        return sweeps.run_at_once(RotateAllRows { block, is_wide });
    }
    let kernels = SweepKernels {
        rotate: RotateRows { block, is_wide },
        rotates_in_place: false,
        apply: ApplyRows { block },
    };
    let tiles = width.div_ceil(block.both() as usize);
    sweeps.run(kernels, |pairs| pairs * tiles);
}
