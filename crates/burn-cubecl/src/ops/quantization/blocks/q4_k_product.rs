//! Products of a few rows with a matrix of `Q4_K`: a unit takes 16 bytes of numbers at a time, and makes
//! floats of them by their bits.

use super::words::half_of;
use crate::launch::dependent_launch::Start;
use crate::launch::kernel::{A, Body, Kernel, UNITS, launch_vectors};
use crate::launch::row_groups::{Team, lane, row, together};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::accumulate::Join;
use burn_backend::HasSpec;
use cubecl::CubeDim;
use cubecl::prelude::*;

cubecl::define_size!(W);
cubecl::define_size!(V);

/// Bytes of a vector.
const BYTES: usize = 16;
/// Vectors of a super-block: one with scales, and eight with the numbers of 32 elements each.
const VECTORS: u32 = 9;
const PARTS: u32 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Q4KProduct {
    rows: u32,
    /// Elements of a vector of the left side.
    width: u32,
    /// Parts that a unit asks for at a time.
    ahead: u32,
    team: Team,
    start: Start,
}

launch_words! {
    struct MatrixWords {
        /// Columns of the result, which are rows of blocks.
        columns: u32,
        /// Blocks of a row.
        blocks: u32,
    }
}

/// Scales of the two sub-blocks that a part has 16 elements of each, and what their elements are lowered by.
#[derive(CubeType, Clone, Copy)]
struct Scales {
    low: f32,
    high: f32,
    low_minimum: f32,
    high_minimum: f32,
}

#[cube]
fn first_vector(column: u32, words: &MatrixWords) -> u32 {
    select(column < words.columns, column, 0u32) * words.blocks * VECTORS
}

#[cube]
fn writes(column: u32, lane: u32, words: &MatrixWords) -> bool {
    column < words.columns && lane == 0u32
}

/// As in [`six_bits`](super::k_formats), for sub-blocks `2 pair` and `2 pair + 1` at once.
#[cube]
fn scales_of<N: Size>(first: Vector<u32, N>, pair: u32) -> Scales {
    let shift = pair % 2u32 * 16u32;
    let (a, b, c) = (first[1usize] >> shift, first[2usize] >> shift, first[3usize] >> shift);
    let is_first = pair < 2u32;
    let scales = select(is_first, a & 0x3f3fu32, (c & 0x0f0fu32) | ((a >> 2u32) & 0x3030u32));
    let minima = select(is_first, b & 0x3f3fu32, ((c >> 4u32) & 0x0f0fu32) | ((b >> 2u32) & 0x3030u32));
    let scale = half_of(first[0usize] & 0xffffu32);
    let minimum = half_of(first[0usize] >> 16u32);
    Scales {
        low: scale * f32::cast_from(scales & 255u32),
        high: scale * f32::cast_from((scales >> 8u32) & 255u32),
        low_minimum: minimum * f32::cast_from(minima & 255u32),
        high_minimum: minimum * f32::cast_from((minima >> 8u32) & 255u32),
    }
}

/// `16 + n` of nibble `at` of a word: the bits of `n` are the first ones behind the point.
#[cube]
fn sixteen_more(word: u32, #[comptime] at: u32) -> f32 {
    if comptime!(4 * at < 19) {
        f32::reinterpret(((word << comptime!(19 - 4 * at)) & 0x0078_0000u32) | 0x4180_0000u32)
    } else {
        f32::reinterpret(((word >> comptime!(4 * at - 19)) & 0x0078_0000u32) | 0x4180_0000u32)
    }
}

/// Returns the sum that 16 elements of a sub-block add: nibbles of this parity.
#[cube]
fn added<E: Numeric, M: Size, N: Size>(
    lhs: &Array<Vector<E, M>>,
    first: u32,
    numbers: Vector<u32, N>,
    scale: f32,
    minimum: f32,
    #[comptime] odd: u32,
    #[comptime] width: u32,
) -> f32 {
    let mut dot = 0.0f32;
    let mut sum = 0.0f32;
    #[unroll]
    for i in 0..comptime!(16 / width) {
        let x = lhs[(first + i) as usize];
        #[unroll]
        for j in 0..comptime!(width) {
            let element = comptime!(i * width + j);
            let x = f32::cast_from(x[comptime!(j as usize)]);
            let number =
                sixteen_more(numbers[comptime!((element / 4) as usize)], comptime!(element % 4 * 2 + odd));
            dot += x * number;
            sum += x;
        }
    }
    scale * dot - (scale * 16.0f32 + minimum) * sum
}

/// Parts of a row of blocks that a unit asks for at a time.
#[derive(CubeType)]
struct Parts<N: Size> {
    scales: Array<Vector<u32, N>>,
    numbers: Array<Vector<u32, N>>,
}

#[cube]
fn room_for_parts<N: Size>(#[comptime] kind: Q4KProduct) -> Parts<N> {
    Parts::<N> {
        scales: Array::<Vector<u32, N>>::new(comptime!(kind.ahead as usize)),
        numbers: Array::<Vector<u32, N>>::new(comptime!(kind.ahead as usize)),
    }
}

/// Reads the parts of a unit from `at` on; those behind the last are the first one.
#[cube]
fn read_parts<N: Size>(
    parts: &mut Parts<N>,
    blocks: &Array<Vector<u32, N>>,
    at: u32,
    matrix: &MatrixWords,
    #[comptime] kind: Q4KProduct,
) {
    let first = first_vector(row(kind.team), matrix);
    #[unroll]
    for i in 0..comptime!(kind.ahead) {
        let part = at + comptime!(i * kind.team.size);
        let part = select(part < matrix.blocks * PARTS, part, 0u32);
        let block = first + part / PARTS * VECTORS;
        parts.numbers[comptime!(i as usize)] = blocks[(block + 1u32 + part % PARTS) as usize];
        parts.scales[comptime!(i as usize)] = blocks[block as usize];
    }
}

#[cube]
fn read_first_parts<N: Size>(
    parts: &mut Parts<N>,
    blocks: &Array<Vector<u32, N>>,
    matrix: &MatrixWords,
    #[comptime] kind: Q4KProduct,
) {
    read_parts::<N>(parts, blocks, lane(kind.team), matrix, kind);
}

/// Writes the sums of a column, whose first parts were read.
#[cube]
fn q4_k_sums<E: Numeric, O: Numeric, M: Size, N: Size>(
    lhs: &Array<Vector<E, M>>,
    blocks: &Array<Vector<u32, N>>,
    out: &mut Array<O>,
    parts: &mut Parts<N>,
    matrix: &MatrixWords,
    #[comptime] kind: Q4KProduct,
) {
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    let column = row(kind.team);
    let lane = lane(kind.team);
    let writes = writes(column, lane, matrix);
    let mut sums = Array::<f32>::new(comptime!(kind.rows as usize));
    #[unroll]
    for r in 0..comptime!(kind.rows as usize) {
        sums[r] = 0.0f32;
    }
    let end = select(column < matrix.columns, matrix.blocks * PARTS, 0u32);
    let mut at = lane + 0u32;
    while at < end {
        add_parts::<E, M, N>(&mut sums, lhs, parts, at, matrix, kind);
        at += comptime!(kind.ahead * kind.team.size);
        if at < end {
            read_parts::<N>(parts, blocks, at, matrix, kind);
        }
    }
    #[unroll]
    for r in 0..comptime!(kind.rows) {
        let sum = together(sums[comptime!(r as usize)], &mut shared, comptime!(kind.team), Join::SUM);
        if writes {
            out[(r * matrix.columns + column) as usize] = O::cast_from(sum);
        }
    }
}

/// Adds what parts from `at` on give, which are all there.
#[cube]
fn add_parts<E: Numeric, M: Size, N: Size>(
    sums: &mut Array<f32>,
    lhs: &Array<Vector<E, M>>,
    parts: &Parts<N>,
    at: u32,
    matrix: &MatrixWords,
    #[comptime] kind: Q4KProduct,
) {
    let depth = matrix.blocks * comptime!(256 / kind.width);
    #[unroll]
    for i in 0..comptime!(kind.ahead) {
        let part = at + comptime!(i * kind.team.size);
        let (pair, half) = (part % PARTS / 2u32, part % 2u32);
        let found = scales_of(parts.scales[comptime!(i as usize)], pair);
        let own = parts.numbers[comptime!(i as usize)];
        let low = part / PARTS * comptime!(256 / kind.width)
            + pair * comptime!(64 / kind.width)
            + half * comptime!(16 / kind.width);
        #[unroll]
        for r in 0..comptime!(kind.rows) {
            let low = low + r * depth;
            let high = low + comptime!(32 / kind.width);
            let a = added(lhs, low, own, found.low, found.low_minimum, 0u32, kind.width);
            let b = added(lhs, high, own, found.high, found.high_minimum, 1u32, kind.width);
            sums[comptime!(r as usize)] += a + b;
        }
    }
}

impl Kernel for Q4KProduct {
    const NAME: &'static str = "block_matmul_q4_k";
    // Columns are looked at, and parts are those of whole rows of blocks.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (lhs, blocks, out) = (body.array(0), body.array::<Vector<u32, V>>(1), body.array(2));
        let matrix = body.read::<MatrixWords>();
        let scope = &mut body.scope;
        scope.register_size::<W>(self.width as usize);
        scope.register_size::<V>(BYTES / 4);
        let parts = room_for_parts::expand::<V>(scope, *self);
        self.start.around_wait(scope, |scope| {
            read_first_parts::expand::<V>(scope, parts.clone(), blocks.clone(), matrix.clone(), *self);
        });
        q4_k_sums::expand::<A, A, W, V>(scope, lhs, blocks, out, parts, matrix, *self);
    }
}

/// Writes the product of a few rows and a matrix of `columns` rows of `blocks` super-blocks to `out`.
pub fn product(lhs: &CubeTensor, blocks: &CubeTensor, out: &CubeTensor, [columns, count]: [usize; 2]) {
    let width = BYTES / lhs.dtype().size();
    let rows = out.spec().shape.num_elements() / columns.max(1);
    let parts = count * PARTS as usize;
    let size = parts.next_power_of_two().clamp(8, 32);
    let ahead = if parts.is_multiple_of(2 * size) && rows <= 2 { 2 } else { 1 };
    let team = Team { size: word(size), across: false };
    let start = Start::of(std::slice::from_ref(blocks));
    let kernel = Q4KProduct { rows: word(rows), width: word(width), ahead, team, start };
    let matrix = MatrixWords { columns: word(columns), blocks: word(count) };
    let cubes = columns.div_ceil(team.rows() as usize);
    let (widths, units) = (vec![width, BYTES / 4, 1], CubeDim::new_1d(UNITS));
    launch_vectors(kernel, &[lhs, blocks], &[out], widths, &matrix.words(), cubes, units);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::define;
    use burn_backend::DType;

    #[test]
    fn kernels_expand() {
        for (rows, ahead, width, dtype, start) in
            [(1, 2, 4, DType::F32, Start::AtOnce), (8, 1, 8, DType::F16, Start::BeforeWait)]
        {
            let kernel = Q4KProduct { rows, width, ahead, team: Team { size: 32, across: false }, start };
            define(kernel, [&[dtype, DType::U32], &[dtype]], &[width as usize, 4, 1], 2);
        }
    }
}
