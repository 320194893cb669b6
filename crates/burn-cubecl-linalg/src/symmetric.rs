//! Rotations of symmetric matrices from both sides, and of the rows after them: in a round, the blocks of
//! rows form pairs.

use crate::block_jacobi::{Block, Order, Rule, row_of, shared, turn_all};
use crate::epsilon::epsilon;
use crate::jacobi::{Pair, pair_at};
use crate::jacobi_sweeps::{RoundArrays, SweepKernels, SweepWords, Sweeps, block_pair, end_block_pair};
use crate::tile::{changed, element, keep_turned, loaded_at};
use crate::working::sizes;
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{A, Body, Kernel};
use cubecl::prelude::*;

/// Returns the rotation thresholds: elements that change no digit of an eigenvalue are not rotated.
#[cube]
pub fn rule<E: Float>(largest: E, deferral: E, #[comptime] is_wide: bool) -> Rule<E> {
    let epsilon = epsilon::<E>(is_wide);
    Rule::<E> {
        relative: epsilon * E::new(0.25),
        absolute: epsilon * E::new(0.025) * largest,
        nothing: E::new(f32::MIN),
        scale: largest,
        deferral,
        // Elements on the diagonal grow to as many times the largest one as there are rows.
        unit: E::new(1e12) / largest,
    }
}

/// Rotations of the block pairs of a round: a cube for each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RotateSymmetric {
    block: Block,
    is_wide: bool,
}

#[cube]
fn rotate_symmetric<E: Float>(
    largest: &Array<E>,
    x: &mut Array<E>,
    round: &mut RoundArrays<E>,
    words: &SweepWords,
    #[comptime] kernel: RotateSymmetric,
) {
    let block = comptime!(kernel.block);
    let mut shared = shared::<E>(block);
    let both = comptime!(block.both());
    let pitch = comptime!(block.pitch());
    let size = words.size;
    let width = 2u32 * size;
    let pairs = (size + both - 1u32) / both;
    let cube = CUBE_POS as u32;
    let matrix = cube / pairs;
    if matrix < words.batch {
        let base = matrix * size * width;
        let block_pair = block_pair::<E>(&round.seen, words, cube, matrix, pairs);
        let pair = &block_pair.pair;
        #[unroll]
        for step in 0..4u32 {
            let (row, column) = loaded_at(step, block);
            let from = row_of(row, pair, block);
            let to = row_of(column, pair, block);
            let mut value = E::new(0.0);
            if block_pair.is_active && from < size && to < size {
                value = x[(base + from * width + to) as usize];
            }
            shared.square[(row * pitch + column) as usize] = value;
            shared.change[(row * pitch + column) as usize] = E::new(0.0);
        }
        let order = Order::between_blocks(words.round, block_pair.is_active, block);
        let rule = rule::<E>(largest[matrix as usize], block_pair.deferral, comptime!(kernel.is_wide));
        turn_all::<E>(&mut shared, &order, &rule, block);
        let is_turned = shared.turned[0] > 0u32;
        if is_turned {
            #[unroll]
            for step in 0..4u32 {
                let (row, column) = loaded_at(step, block);
                let from = row_of(row, pair, block);
                let to = row_of(column, pair, block);
                if from < size && to < size {
                    x[(base + from * width + to) as usize] = shared.square[(row * pitch + column) as usize];
                }
                round.changes[((cube * both + row) * both + column) as usize] =
                    shared.change[(row * pitch + column) as usize];
            }
        }
        end_block_pair::<E>(round, &shared, &block_pair, is_turned, words, block);
    }
}

impl Kernel for RotateSymmetric {
    const NAME: &'static str = "rotate_symmetric";

    fn expand(&self, body: &mut Body) {
        let (largest, x, round) = (body.array(0), body.array(1), RoundArrays::of(body, 2));
        let words = body.read::<SweepWords>();
        rotate_symmetric::expand::<A>(&mut body.scope, largest, x, round, words, *self);
    }
}

/// Kernel that applies the rotations of a round: one cube for each two pairs of blocks, which writes both
/// mirrored parts of the matrix, and one for each pair of blocks and some of the appended columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ApplySymmetric {
    block: Block,
}

/// Column `at` of two blocks, or of a tile of the rows after it.
#[cube]
fn column_of(at: u32, pair: &Pair, is_beside: bool, size: u32, tile: u32, #[comptime] block: Block) -> u32 {
    select(is_beside, row_of(at, pair, block), size + tile * comptime!(block.both()) + at)
}

#[cube]
fn apply_to_symmetric<E: Float>(
    changes: &Array<E>,
    is_changed: &Array<u32>,
    x: &mut Array<E>,
    words: &SweepWords,
    #[comptime] block: Block,
) {
    let size = words.size;
    let pitch = comptime!(block.tile_pitch());
    let both = comptime!(block.both());
    let rows = comptime!(block.rows);
    let mut tile = SharedMemory::<E>::new(comptime!((block.both() * block.tile_pitch()) as usize));
    let mut change = SharedMemory::<E>::new(comptime!((block.both() * block.tile_pitch()) as usize));
    let width = 2u32 * size;
    let pairs = (size + both - 1u32) / both;
    let cube = CUBE_POS as u32;
    let matrix = cube / (2u32 * pairs * pairs);
    if matrix < words.batch {
        let base = matrix * size * width;
        let i = cube / (2u32 * pairs) % pairs;
        let j = cube % (2u32 * pairs);
        let is_beside = j < pairs;
        let own = matrix * pairs + i;
        let other = select(is_beside, matrix * pairs + j, own);
        let is_some = is_changed[own as usize] + is_changed[other as usize] > 0u32;
        let is_first = !is_beside || i < j;
        let works = is_some && is_first;
        let own_rows = pair_at(i, words.round, pairs);
        let columns = pair_at(j % pairs, words.round, pairs);
        // Rotate by the other pair first, as rows.
        let rows_first = Pair {
            low: select(is_beside, columns.low, own_rows.low),
            high: select(is_beside, columns.high, own_rows.high),
        };
        #[unroll]
        for step in 0..4u32 {
            let (row, column) = loaded_at(step, block);
            let from = row_of(row, &rows_first, block);
            let to = column_of(column, &own_rows, is_beside, size, j - pairs, block);
            let mut value = E::new(0.0);
            if works && from < size && to < select(is_beside, size, width) {
                value = x[(base + from * width + to) as usize];
            }
            tile[(row * pitch + column) as usize] = value;
        }
        // Loops, and no branches: units wait for each other in them.
        let products = select(works, select(is_beside, 2u32, 1u32), 0u32);
        for product in 0..products {
            let is_last = product + 1u32 == products;
            let from = select(is_last, own, other) * comptime!(block.both() * block.both());
            #[unroll]
            for step in 0..4u32 {
                let (row, column) = loaded_at(step, block);
                let mut value = E::new(0.0);
                if is_changed[select(is_last, own, other) as usize] > 0u32 {
                    value = changes[(from + row * both + column) as usize];
                }
                change[(row * pitch + column) as usize] = value;
            }
            sync_cube();
            let four = changed::<E>(&change, &tile, comptime!(block.tile_pitch()), block);
            sync_cube();
            if is_last {
                #[unroll]
                for at in 0..4u32 {
                    let row = UNIT_POS / rows + comptime!(at / 2 * block.rows);
                    let column = UNIT_POS % rows + comptime!(at % 2 * block.rows);
                    let value = element::<E>(&four, at);
                    let from = row_of(row, &own_rows, block);
                    let to = column_of(column, &columns, is_beside, size, j - pairs, block);
                    if from < size && to < select(is_beside, size, width) {
                        x[(base + from * width + to) as usize] = value;
                        if is_beside {
                            x[(base + to * width + from) as usize] = value;
                        }
                    }
                }
            } else {
                keep_turned::<E>(&mut tile, &four, block);
            }
        }
    }
}

impl Kernel for ApplySymmetric {
    const NAME: &'static str = "apply_to_symmetric";

    fn expand(&self, body: &mut Body) {
        let (changes, is_changed) = (body.array(0), body.array::<u32>(1));
        let x = body.array(2);
        let words = body.read::<SweepWords>();
        apply_to_symmetric::expand::<A>(&mut body.scope, changes, is_changed, x, words, self.block);
    }
}

/// Turns `[x, 1]`, the first part of which is symmetric and the second one rows after it, until the first is
/// a diagonal. Elements are neither very large nor very small.
pub fn turn_symmetric(x: &CubeTensor, largest: &CubeTensor) {
    let [_, size, _] = sizes(x);
    let sweeps = Sweeps { x, scale: largest, long: size };
    let (block, is_wide) = sweeps.block();
    let kernels = SweepKernels {
        rotate: RotateSymmetric { block, is_wide },
        rotates_in_place: true,
        apply: ApplySymmetric { block },
    };
    sweeps.run(kernels, |pairs| 2 * pairs * pairs);
}
