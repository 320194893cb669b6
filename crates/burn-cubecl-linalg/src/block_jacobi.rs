//! Rotations of a pair of blocks of rows: a cube turns the symmetric matrix of their products towards a
//! diagonal, in shared memory.

use crate::jacobi::{Pair, Turn, pair_at, turn_of, turned_high, turned_low};
use burn_backend::{DType, HasSpec, TensorSpec};
use burn_cubecl::{CubeTensor, Engine};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Most sweeps of matrices that are rotated in one launch, which ends when a sweep rotates nothing.
pub const MOST: u32 = 30;

/// Block of rows. One cube processes a pair of blocks, with one unit for each pair of rows from both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    pub rows: u32,
}

impl Block {
    /// For matrices of so many rows to turn.
    pub fn of(size: usize, dtype: DType, engine: &dyn Engine) -> Self {
        const LARGE: Block = Block { rows: 16 };
        let bytes = LARGE.shared() * if dtype == DType::F64 { 8 } else { 4 };
        let is_small = size <= 16 || bytes > engine.hardware().max_shared_memory_size;
        if is_small { Block { rows: 8 } } else { LARGE }
    }

    /// Rows of each of the two blocks.
    pub fn both(self) -> u32 {
        2 * self.rows
    }

    /// Row stride: neighbouring rows differ by half of the banks.
    pub fn pitch(self) -> u32 {
        3 * self.rows
    }

    /// Number of elements of a matrix with rows and columns of both blocks.
    pub fn slots(self) -> usize {
        (self.both() * self.pitch()) as usize
    }

    /// Elements of [`Shared`], at least.
    pub fn shared(self) -> usize {
        2 * (self.slots() + 4 * self.rows as usize)
    }

    pub fn units(self) -> CubeDim {
        CubeDim::new_1d(self.rows * self.rows)
    }

    /// Number of block pairs in a round of matrices with `size` rows.
    pub fn pairs(self, size: usize) -> usize {
        size.div_ceil(self.both() as usize)
    }

    /// Whether a pair of blocks has all rows.
    pub fn is_all(self, size: usize) -> bool {
        size <= self.both() as usize
    }
}

/// Rotations of one round, less the identity, and whether there were any.
#[derive(Debug)]
pub struct RoundRotations {
    pub changes: CubeTensor,
    pub changed: CubeTensor,
}

impl RoundRotations {
    pub fn of(x: &CubeTensor, batch: usize, pairs: usize, block: Block) -> Self {
        let both = block.both() as usize;
        let changes = TensorSpec::new([batch, pairs, both, both], x.dtype());
        let changed = TensorSpec::new([batch, pairs], DType::U32);
        let [changes, changed] = [changes, changed].map(|spec| CubeTensor::empty(spec, x.engine()));
        Self { changes, changed }
    }
}

/// Shared memory of a cube.
#[derive(CubeType)]
pub struct Shared<E: Float> {
    /// Symmetric matrix of the products.
    pub square: SharedMemory<E>,
    /// Accumulated rotation less the identity, which keeps small angles from being lost to rounding.
    pub change: SharedMemory<E>,
    /// Rotations of the current round.
    pub turns: SharedMemory<E>,
    /// Whether there was a rotation.
    pub turned: SharedMemory<u32>,
    /// Largest off-diagonal element that each pair has seen.
    pub seen: SharedMemory<E>,
}

#[cube]
pub fn shared<E: Float>(#[comptime] block: Block) -> Shared<E> {
    Shared::<E> {
        square: SharedMemory::<E>::new(comptime!(block.slots())),
        change: SharedMemory::<E>::new(comptime!(block.slots())),
        // The four numbers of a rotation are one load.
        turns: SharedMemory::<E>::new_aligned(comptime!(4 * block.rows as usize), 16usize),
        turned: SharedMemory::<u32>::new(1usize),
        seen: SharedMemory::<E>::new(comptime!(block.rows as usize)),
    }
}

/// Schedule of the pairs of rows in rounds.
#[derive(CubeType, Clone)]
pub struct Order {
    pub pairs: u32,
    pub rounds: u32,
    /// Each row of one block is paired with each of the other, and not with those of its own.
    pub is_between: bool,
}

#[cube]
impl Order {
    /// For a round of blocks: rows of the same block are paired once in a sweep, in its first round.
    pub fn between_blocks(round: u32, is_active: bool, #[comptime] block: Block) -> Order {
        let is_between = round > 0u32;
        let rounds = select(is_between, comptime!(block.rows), comptime!(block.both() - 1));
        Order { pairs: comptime!(block.rows).runtime(), rounds: select(is_active, rounds, 0u32), is_between }
    }

    /// For so many rows.
    pub fn of_all(size: u32) -> Order {
        let pairs = (size + 1u32) / 2u32;
        Order { pairs, rounds: 2u32 * pairs - 1u32, is_between: false.runtime() }
    }
}

/// Elements that are small enough to stay.
#[derive(CubeType, Clone)]
pub struct Rule<E: Float> {
    /// As a part of the root of both elements on the diagonal.
    pub relative: E,
    pub absolute: E,
    /// Rows whose element on the diagonal is not more than this stay too.
    pub nothing: E,
    /// The least that others are parts of.
    pub scale: E,
    /// Such parts wait between rows that are alike.
    pub deferral: E,
    /// Factor of the elements, so that they have squares.
    pub unit: E,
}

/// The row of a matrix that is row `at` of two blocks: it may be after the last.
#[cube]
pub fn row_of(at: u32, pair: &Pair, #[comptime] block: Block) -> u32 {
    let rows = comptime!(block.rows);
    select(at < rows, pair.low * rows + at, pair.high * rows + at - rows)
}

#[cube]
fn rows_at(index: u32, round: u32, order: &Order, #[comptime] block: Block) -> Pair {
    let free = pair_at(index, round, order.pairs);
    let across = comptime!(block.rows) + (index + round) % comptime!(block.rows);
    Pair { low: select(order.is_between, index, free.low), high: select(order.is_between, across, free.high) }
}

/// Returns the rotation of a pair of this round.
#[cube]
fn turn_at<E: Float>(turns: &SharedMemory<E>, index: u32) -> Turn<E> {
    let at = 4u32 * index;
    Turn::<E> {
        sin: turns[at as usize],
        half: turns[(at + 1u32) as usize],
        low: turns[(at + 2u32) as usize],
        high: turns[(at + 3u32) as usize],
    }
}

/// The root of a magnitude, of which a few digits are enough, and not what is too small to have an inverse.
#[cube]
fn root_of<E: Float>(x: E) -> E {
    let least = E::new(1e-30);
    let x = E::abs(x);
    x * select(x > least, x, least).inverse_sqrt()
}

/// Leaves the rotations of a round for all units.
#[cube]
fn find_turns<E: Float>(
    shared: &mut Shared<E>,
    round: u32,
    order: &Order,
    rule: &Rule<E>,
    #[comptime] block: Block,
) {
    let pitch = comptime!(block.pitch());
    let index = UNIT_POS;
    if index < order.pairs {
        let pair = rows_at(index, round, order, block);
        let a = shared.square[(pair.low * pitch + pair.low) as usize];
        let b = shared.square[(pair.high * pitch + pair.high) as usize];
        let above = shared.square[(pair.low * pitch + pair.high) as usize];
        let below = shared.square[(pair.high * pitch + pair.low) as usize];
        let c = E::new(0.5) * (above + below);
        let roots = root_of::<E>(a) * root_of::<E>(b);
        let scale = select(roots > rule.scale, roots, rule.scale);
        let relative = rule.relative * roots;
        let least = select(relative > rule.absolute, relative, rule.absolute);
        let size = E::abs(c);
        let mut is_turned = size > least && a > rule.nothing && b > rule.nothing;
        if is_turned {
            let part = size / scale;
            let most = shared.seen[index as usize];
            shared.seen[index as usize] = select(part > most, part, most);
            let is_alike = E::abs(b - a) < E::new(10.0) * size;
            is_turned = !is_alike || size >= rule.deferral * scale;
        }
        let turn = turn_of::<E>(a, b, c, rule.unit, is_turned);
        let at = 4u32 * index;
        shared.turns[at as usize] = turn.sin;
        shared.turns[(at + 1u32) as usize] = turn.half;
        shared.turns[(at + 2u32) as usize] = turn.low;
        shared.turns[(at + 3u32) as usize] = turn.high;
        if is_turned {
            shared.turned[0] = 1u32;
        }
    }
}

/// Returns the largest element that a pair of this sweep saw.
#[cube]
pub fn most_seen<E: Float>(shared: &Shared<E>, #[comptime] block: Block) -> E {
    let mut most = E::new(0.0);
    #[unroll]
    for index in 0..comptime!(block.rows as usize) {
        let own = shared.seen[index];
        most = select(own > most, own, most);
    }
    most
}

/// Turns the rows of what has changed: two elements of both.
#[cube]
fn turn_change<E: Float>(
    change: &mut SharedMemory<E>,
    pair: &Pair,
    down: &Turn<E>,
    #[comptime] block: Block,
) {
    let pitch = comptime!(block.pitch());
    #[unroll]
    for side in 0..2u32 {
        let column = UNIT_POS % comptime!(block.rows) + comptime!(side * block.rows);
        let upper = (pair.low * pitch + column) as usize;
        let lower = (pair.high * pitch + column) as usize;
        let (top, bottom) = (change[upper], change[lower]);
        let zero = E::new(0.0);
        let x = top + select(pair.low == column, E::new(1.0), zero);
        let y = bottom + select(pair.high == column, E::new(1.0), zero);
        change[upper] = top - down.sin * (y + down.half * x);
        change[lower] = bottom + down.sin * (x - down.half * y);
    }
}

/// Rotations of all pairs of an order, each from what the others before left.
#[cube]
pub fn turn_all<E: Float>(shared: &mut Shared<E>, order: &Order, rule: &Rule<E>, #[comptime] block: Block) {
    let pitch = comptime!(block.pitch());
    let unit = UNIT_POS;
    let (i, j) = (unit / comptime!(block.rows), unit % comptime!(block.rows));
    if unit == 0u32 {
        shared.turned[0] = 0u32;
    }
    if unit < comptime!(block.rows) {
        shared.seen[unit as usize] = E::new(0.0);
    }
    sync_cube();
    for round in 0..order.rounds {
        find_turns::<E>(shared, round, order, rule, block);
        sync_cube();
        if i < order.pairs {
            let rows = rows_at(i, round, order, block);
            let down = turn_at::<E>(&shared.turns, i);
            let is_down = down.sin != E::new(0.0);
            if is_down {
                turn_change::<E>(&mut shared.change, &rows, &down, block);
            }
            if j < order.pairs {
                let columns = rows_at(j, round, order, block);
                let across = turn_at::<E>(&shared.turns, j);
                if is_down || across.sin != E::new(0.0) {
                    let upper = rows.low * pitch;
                    let lower = rows.high * pitch;
                    let a = shared.square[(upper + columns.low) as usize];
                    let b = shared.square[(upper + columns.high) as usize];
                    let c = shared.square[(lower + columns.low) as usize];
                    let d = shared.square[(lower + columns.high) as usize];
                    let left = turned_low::<E>(a, c, &down);
                    let right = turned_low::<E>(b, d, &down);
                    let left_below = turned_high::<E>(a, c, &down);
                    let right_below = turned_high::<E>(b, d, &down);
                    let is_own = i == j;
                    let zero = E::new(0.0);
                    shared.square[(upper + columns.low) as usize] =
                        select(is_own, down.low, turned_low::<E>(left, right, &across));
                    shared.square[(upper + columns.high) as usize] =
                        select(is_own, zero, turned_high::<E>(left, right, &across));
                    shared.square[(lower + columns.low) as usize] =
                        select(is_own, zero, turned_low::<E>(left_below, right_below, &across));
                    shared.square[(lower + columns.high) as usize] =
                        select(is_own, down.high, turned_high::<E>(left_below, right_below, &across));
                }
            }
        }
        sync_cube();
    }
}
