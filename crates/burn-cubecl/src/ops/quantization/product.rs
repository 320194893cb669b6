use super::code::{Code, difference, is_single, zero_of};
use crate::launch::kernel::{A, Body, C, Kernel, UNITS, launch_cubes};
use crate::launch::row_groups::{Team, lane, row};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::layout::contiguous;
use burn_backend::{HasSpec, Packed, QuantizationLevel, QuantizedMatmulArgs, Shape, TensorSpec};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Sums that a unit keeps in registers.
const KEPT: usize = 32;
/// Cubes that keep a device busy.
const MANY: usize = 256;

/// Where scales are, as the weight goes by row after row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Scales {
    One,
    /// One for each column: like one for all, it multiplies sums.
    Columns,
    /// One for each row.
    Rows,
    /// One for some words of a row.
    Words,
}

impl Scales {
    /// Whether it multiplies each number.
    fn are_inner(self) -> bool {
        matches!(self, Scales::Rows | Scales::Words)
    }
}

/// Products of a few rows with a matrix in words, which is read once. A unit takes a column of words and
/// every so many rows of it, its neighbours the words beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FewRows {
    code: Code,
    scales: Scales,
    rows: u32,
    team: Team,
}

/// The group of the numbers of a word.
#[cube]
fn inner_group(k: u32, word: u32, words: u32, block: u32, #[comptime] scales: Scales) -> usize {
    if comptime!(matches!(scales, Scales::Rows)) {
        k as usize
    } else {
        (k * (words / block) + word / block) as usize
    }
}

/// The group of a column.
#[cube]
fn outer_group(col: u32, #[comptime] scales: Scales) -> usize {
    let mut group = 0u32;
    if comptime!(matches!(scales, Scales::Columns)) {
        group = col;
    }
    group as usize
}

launch_words! {
    struct WeightWords {
        /// Rows of the weight.
        depth: u32,
        /// Words of a row, and of a block that shares a scale.
        words: u32,
        block: u32,
    }
}

#[cube]
// The first of two conditions is known when the kernel is compiled.
#[allow(clippy::collapsible_if)]
fn few_rows<E: Numeric, S: Numeric>(
    lhs: &Array<E>,
    values: &Array<i32>,
    scale: &Array<S>,
    zero: &Array<i32>,
    out: &mut Array<E>,
    weight: &WeightWords,
    #[comptime] kind: FewRows,
) {
    let (depth, words) = (weight.depth, weight.words);
    let mut shared = SharedMemory::<f32>::new(comptime!((UNITS * kind.code.lanes()) as usize));
    let code = comptime!(kind.code);
    let lanes = comptime!(kind.code.lanes());
    let word = row(comptime!(kind.team));
    let lane = lane(comptime!(kind.team));
    let inside = word < words;
    let mut sums = Array::<f32>::new(comptime!((kind.rows * kind.code.lanes()) as usize));
    let mut zeros = Array::<i32>::new(comptime!(kind.code.lanes() as usize));
    let mut factors = Array::<f32>::new(comptime!(kind.rows as usize));
    #[unroll]
    for at in 0..comptime!((kind.rows * kind.code.lanes()) as usize) {
        sums[at] = 0.0f32;
    }
    #[unroll]
    for at in 0..lanes {
        zeros[comptime!(at as usize)] = 0i32;
        if comptime!(!kind.scales.are_inner()) {
            if inside {
                let group = outer_group(word * lanes + at, comptime!(kind.scales));
                zeros[comptime!(at as usize)] = zero_of(zero, group, code);
            }
        }
    }
    let end = select(inside, depth, 0u32);
    let mut k = lane + 0u32;
    while k < end {
        let packed = values[(k * words + word) as usize];
        let mut factor = 1.0f32;
        let mut middle = 0i32;
        if comptime!(kind.scales.are_inner()) {
            let group = inner_group(k, word, words, weight.block, comptime!(kind.scales));
            factor = f32::cast_from(scale[group]);
            middle = zero_of(zero, group, code);
        }
        #[unroll]
        for r in 0..comptime!(kind.rows) {
            factors[comptime!(r as usize)] = f32::cast_from(lhs[(r * depth + k) as usize]) * factor;
        }
        #[unroll]
        for at in 0..lanes {
            let number = difference(packed, zeros[comptime!(at as usize)] + middle, at, code);
            #[unroll]
            for r in 0..comptime!(kind.rows) {
                let sum = comptime!((r * kind.code.lanes() + at) as usize);
                sums[sum] += number * factors[comptime!(r as usize)];
            }
        }
        k += comptime!(kind.team.size);
    }
    #[unroll]
    for r in 0..comptime!(kind.rows) {
        sync_cube();
        #[unroll]
        for at in 0..lanes {
            let sum = sums[comptime!((r * kind.code.lanes() + at) as usize)];
            shared[(UNIT_POS * lanes + at) as usize] = sum;
        }
        sync_cube();
        #[unroll]
        for part in 0..comptime!((kind.team.rows() * kind.code.lanes()).div_ceil(UNITS)) {
            let place = UNIT_POS + comptime!(part * UNITS);
            let beside = place / lanes;
            let col = CUBE_POS as u32 * comptime!(kind.team.rows() * kind.code.lanes()) + place;
            if beside < comptime!(kind.team.rows()) && col < words * lanes {
                let mut sum = 0.0f32;
                for other in 0..comptime!(kind.team.size) {
                    sum += shared[(other * comptime!(kind.team.rows() * kind.code.lanes()) + place) as usize];
                }
                if comptime!(!kind.scales.are_inner()) {
                    sum = sum * f32::cast_from(scale[outer_group(col, comptime!(kind.scales))]);
                }
                out[(r * words * lanes + col) as usize] = E::cast_from(sum);
            }
        }
    }
}

impl Kernel for FewRows {
    const NAME: &'static str = "quantized_matmul";

    fn expand(&self, body: &mut Body) {
        // Without zero points the kernel does not read them.
        let (zero, out) = if self.code.has_zero { (3, 4) } else { (1, 3) };
        let (lhs, values, scale) = (body.array(0), body.array(1), body.array(2));
        let (zero, out) = (body.array(zero), body.array(out));
        let weight = body.read::<WeightWords>();
        few_rows::expand::<A, C>(&mut body.scope, lhs, values, scale, zero, out, weight, *self);
    }
}

/// The kernel for the product, and the words of a block, where it has one: rows of whole words, and not too
/// many of them.
fn kernel(lhs: &CubeTensor, rhs: &Packed<CubeTensor>) -> Option<(FewRows, usize)> {
    let (code, [depth, cols]) = (Code::new(rhs.scheme), [rhs.shape[0], rhs.shape[1]]);
    let lanes = rhs.scheme.value.per_word();
    let (scales, block) = match rhs.scheme.level {
        QuantizationLevel::Tensor => (Scales::One, 1),
        QuantizationLevel::Channel(0) => (Scales::Rows, 1),
        QuantizationLevel::Channel(_) => (Scales::Columns, 1),
        QuantizationLevel::Block(size) => (Scales::Words, size / lanes),
    };
    let is_whole = match rhs.scheme.level {
        QuantizationLevel::Block(size) => size % lanes == 0,
        QuantizationLevel::Tensor | QuantizationLevel::Channel(_) => cols % lanes == 0,
    };
    let elements = lhs.spec().shape.num_elements();
    let is_some = cols > 0 && elements > 0;
    if !is_whole || !is_some || elements > KEPT / lanes * depth || !is_single(lhs) || !is_single(&rhs.scale) {
        return None;
    }
    let words = cols / lanes;
    let across = [32, 16].into_iter().find(|across| words / across >= MANY).unwrap_or(8);
    let team = Team { size: UNITS / across as u32, across: true };
    Some((FewRows { code, scales, rows: (elements / depth) as u32, team }, block))
}

/// See [`QuantizedMatmulArgs`]. `otherwise` computes calls without a kernel.
pub fn quantized_matmul(
    args: QuantizedMatmulArgs<CubeTensor>,
    otherwise: impl FnOnce(QuantizedMatmulArgs<CubeTensor>) -> CubeTensor,
) -> CubeTensor {
    let Some((kernel, block)) = kernel(&args.lhs, &args.rhs) else {
        return otherwise(args);
    };
    let QuantizedMatmulArgs { lhs, rhs } = args.map(contiguous);
    let (depth, cols) = (rhs.shape[0], rhs.shape[1]);
    let shape: Shape = lhs.spec().shape.with(lhs.spec().shape.rank() - 1, cols);
    let out = CubeTensor::empty(TensorSpec { shape, dtype: lhs.dtype() }, lhs.engine());
    let words = cols / kernel.code.lanes() as usize;
    let inputs: Vec<&CubeTensor> = [&lhs, &rhs.values, &rhs.scale].into_iter().chain(&rhs.zero).collect();
    let cubes = words.div_ceil(kernel.team.rows() as usize);
    let weight = WeightWords { depth: word(depth), words: word(words), block: word(block) };
    launch_cubes(kernel, &inputs, &[&out], &weight.words(), cubes, CubeDim::new_1d(UNITS));
    out
}
