//! Rotations of rows, whose first elements come to stand at right angles: in a round each block of rows meets
//! another one.

use super::block_jacobi::{
    Block, MOST, Order, RoundRotations, Rule, Shared, most_seen, row_of, shared, turn_all,
};
use super::jacobi::{Pair, nothing_seen, pair_at, seen_before, sweeps, tournament, waits_after};
use super::panel::settle;
use super::products::{Rows, find_products};
use super::reflectors::epsilon;
use super::tile::{changed, element, loaded_at};
use super::working::sizes;
use crate::launch::kernel::{A, Body, Kernel, launch_cubes};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use burn_backend::{DType, HasSpec};
use cubecl::prelude::*;

/// Longer rows are worth cubes that share them.
const LONG: usize = 1024;

/// Returns the rotation thresholds. Rows that are orthogonal up to rounding are not rotated; rows of rounding
/// noise have no direction, and would be rotated in every sweep.
#[cube]
fn rule<E: Float>(long: u32, squares: E, waits: E, #[comptime] is_wide: bool) -> Rule<E> {
    let epsilon = epsilon::<E>(is_wide);
    Rule::<E> {
        relative: E::new(2.0) * epsilon * E::cast_from(long).sqrt(),
        absolute: E::new(0.0),
        nothing: squares * epsilon * epsilon * E::new(4.0),
        scale: E::new(0.0),
        waits,
    }
}

/// Nothing has changed so far.
#[cube]
fn change_nothing<E: Float>(shared: &mut Shared<E>, #[comptime] block: Block) {
    #[unroll]
    for step in 0..4u32 {
        let (row, column) = loaded_at(step, block);
        shared.change[(row * comptime!(block.pitch()) + column) as usize] = E::new(0.0);
    }
}

/// The meetings of a round: a cube for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct MeetRows {
    block: Block,
    is_wide: bool,
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn meet_rows<E: Float>(
    x: &Array<E>,
    squares: &Array<E>,
    changes: &mut Array<E>,
    is_changed: &mut Array<u32>,
    seen: &mut Array<E>,
    batch: u32,
    size: u32,
    long: u32,
    round: u32,
    sweep: u32,
    sweeps: u32,
    #[comptime] block: Block,
    #[comptime] is_wide: bool,
) {
    let mut shared = shared::<E>(block);
    let both = comptime!(block.both());
    let width = long + size;
    let tables = (size + both - 1u32) / both;
    let cube = CUBE_POS as u32;
    let matrix = cube / tables;
    if matrix < batch {
        let pair = pair_at(cube % tables, round, tables);
        let before = seen_before::<E>(seen, matrix, sweep, sweeps, tables);
        let goes = before > E::new(0.0);
        // Nothing is known in the first sweep.
        let waits = select(sweep > 0u32, waits_after::<E>(before), E::new(0.0));
        let rows = Rows { base: matrix * size * width, width, size, end: select(goes, long, 0u32) };
        find_products::<E>(x, &rows, &pair, &mut shared, block);
        change_nothing::<E>(&mut shared, block);
        let order = Order::between_blocks(round, goes, block);
        let rule = rule::<E>(long, squares[matrix as usize], waits, is_wide);
        turn_all::<E>(&mut shared, &order, &rule, block);
        let is_turned = shared.turned[0] > 0u32;
        if is_turned {
            #[unroll]
            for step in 0..4u32 {
                let (row, column) = loaded_at(step, block);
                changes[((cube * both + row) * both + column) as usize] =
                    shared.change[(row * comptime!(block.pitch()) + column) as usize];
            }
        }
        if UNIT_POS == 0u32 {
            is_changed[cube as usize] = select(is_turned, 1u32, 0u32);
            let at = ((matrix * sweeps + sweep) * tables + cube % tables) as usize;
            let most = most_seen::<E>(&shared, block);
            seen[at] = select(most > seen[at], most, seen[at]);
        }
    }
}

impl Kernel for MeetRows {
    const NAME: &'static str = "meet_rows";

    fn expand(&self, body: &mut Body) {
        let (x, squares, changes) = (body.array(0), body.array(1), body.array(2));
        let (is_changed, seen) = (body.array::<u32>(3), body.array(4));
        let [batch, size, long, round, sweep, sweeps] = [0, 1, 2, 3, 4, 5].map(|at| body.word(at));
        let scope = &mut body.scope;
        meet_rows::expand::<A>(
            scope,
            x,
            squares,
            changes,
            is_changed,
            seen,
            batch,
            size,
            long,
            round,
            sweep,
            sweeps,
            self.block,
            self.is_wide,
        );
    }
}

/// A tile of the columns of two blocks, from shared memory and what changes it.
#[cube]
fn turn_tile<E: Float>(
    x: &mut Array<E>,
    change: &SharedMemory<E>,
    tile: &mut SharedMemory<E>,
    rows: &Rows,
    pair: &Pair,
    start: u32,
    #[comptime] change_pitch: u32,
    #[comptime] block: Block,
) {
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
    let four = changed::<E>(change, tile, change_pitch, block);
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
struct FollowRows {
    block: Block,
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn follow_rows<E: Float>(
    changes: &Array<E>,
    is_changed: &Array<u32>,
    x: &mut Array<E>,
    batch: u32,
    size: u32,
    long: u32,
    round: u32,
    #[comptime] block: Block,
) {
    let pitch = comptime!(block.tile_pitch());
    let both = comptime!(block.both());
    let mut tile = SharedMemory::<E>::new(comptime!((block.both() * block.tile_pitch()) as usize));
    let mut change = SharedMemory::<E>::new(comptime!((block.both() * block.tile_pitch()) as usize));
    let width = long + size;
    let tables = (size + both - 1u32) / both;
    let tiles = (width + both - 1u32) / both;
    let cube = CUBE_POS as u32;
    let meeting = cube / tiles;
    let matrix = meeting / tables;
    if matrix < batch {
        let pair = pair_at(meeting % tables, round, tables);
        let works = is_changed[meeting as usize] > 0u32;
        let rows = Rows { base: matrix * size * width, width, size, end: long };
        // A loop, and no branch: units wait for each other in it.
        for _ in 0..select(works, 1u32, 0u32) {
            #[unroll]
            for step in 0..4u32 {
                let (row, column) = loaded_at(step, block);
                change[(row * pitch + column) as usize] =
                    changes[((meeting * both + row) * both + column) as usize];
            }
            let start = cube % tiles * both;
            turn_tile::<E>(x, &change, &mut tile, &rows, &pair, start, comptime!(block.tile_pitch()), block);
        }
    }
}

impl Kernel for FollowRows {
    const NAME: &'static str = "follow_rows";

    fn expand(&self, body: &mut Body) {
        let (changes, is_changed) = (body.array(0), body.array::<u32>(1));
        let x = body.array(2);
        let [batch, size, long, round] = [0, 1, 2, 3].map(|at| body.word(at));
        let (scope, block) = (&mut body.scope, self.block);
        follow_rows::expand::<A>(scope, changes, is_changed, x, batch, size, long, round, block);
    }
}

/// All sweeps of matrices whose rows all meet at once: a cube for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct MeetAllRows {
    block: Block,
    is_wide: bool,
}

#[cube]
fn meet_all_rows<E: Float>(
    squares: &Array<E>,
    x: &mut Array<E>,
    batch: u32,
    size: u32,
    long: u32,
    #[comptime] block: Block,
    #[comptime] is_wide: bool,
) {
    let mut shared = shared::<E>(block);
    let width = long + size;
    let matrix = CUBE_POS as u32;
    if matrix < batch {
        let pair = Pair { low: 0u32, high: 1u32 };
        let rows = Rows { base: matrix * size * width, width, size, end: long };
        let order = Order::of_all(size);
        let mut waits = E::new(0.0);
        let mut left = comptime!(MOST).runtime();
        while left > 0u32 {
            find_products::<E>(x, &rows, &pair, &mut shared, block);
            change_nothing::<E>(&mut shared, block);
            let rule = rule::<E>(long, squares[matrix as usize], waits, is_wide);
            turn_all::<E>(&mut shared, &order, &rule, block);
            let is_turned = shared.turned[0] > 0u32;
            let seen = most_seen::<E>(&shared, block);
            waits = waits_after::<E>(seen);
            left = select(seen > E::new(0.0), left - 1u32, 0u32);
            let mut start = select(is_turned, 0u32, width);
            while start < width {
                turn_tile::<E>(
                    x,
                    &shared.change,
                    &mut shared.square,
                    &rows,
                    &pair,
                    start,
                    comptime!(block.pitch()),
                    block,
                );
                start += comptime!(block.both());
            }
            settle();
        }
    }
}

impl Kernel for MeetAllRows {
    const NAME: &'static str = "meet_all_rows";

    fn expand(&self, body: &mut Body) {
        let (squares, x) = (body.array(0), body.array(1));
        let [batch, size, long] = [0, 1, 2].map(|at| body.word(at));
        let (block, is_wide) = (self.block, self.is_wide);
        meet_all_rows::expand::<A>(&mut body.scope, squares, x, batch, size, long, block, is_wide);
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
    let ([batch, size, width], dtype, engine) = (sizes(x), x.dtype(), x.engine());
    let (block, is_wide) = (Block::of(size, dtype, engine), dtype == DType::F64);
    if block.is_all(size) {
        let words: Vec<u32> = strides::words(&[batch, size, long]).collect();
        let kernel = MeetAllRows { block, is_wide };
        launch_cubes(kernel, &[squares], &[x], &words, batch, block.units());
        return;
    }
    let tables = block.tables(size);
    let seen = nothing_seen(x, batch, tables);
    let RoundRotations { changes, changed } = RoundRotations::of(x, batch, tables, block);
    let tiles = width.div_ceil(block.both() as usize);
    tournament(tables, dtype, |sweep, round| {
        let words: Vec<u32> = strides::words(&[batch, size, long, round, sweep, sweeps(dtype)]).collect();
        let meet = MeetRows { block, is_wide };
        let written = [&changes, &changed, &seen];
        launch_cubes(meet, &[x, squares], &written, &words, batch * tables, block.units());
        let follow = FollowRows { block };
        let read = [&changes, &changed];
        launch_cubes(follow, &read, &[x], &words[..4], batch * tables * tiles, block.units());
    });
}
