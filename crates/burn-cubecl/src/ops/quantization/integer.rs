use super::code::{Code, integer_of, is_single};
use crate::launch::kernel::{A, Body, Kernel, UNITS, launch_cubes};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::layout::contiguous;
use burn_backend::{HasSpec, IntegerMatmulArgs, Packed, QuantizationLevel, TensorSpec};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Rows and words of a tile of the result, and rows of the right side at a time.
const ROWS: u32 = 64;
const WORDS: u32 = 16;
const DEPTH: u32 = 16;
/// Rows of a unit, which has one word of each.
const OWN: u32 = ROWS * WORDS / UNITS;

/// Format of one operand, known when the kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Side {
    code: Code,
    /// Whether each row, or column, has its own scale.
    has_many: bool,
}

impl Side {
    fn new(x: &Packed<CubeTensor>) -> Self {
        let has_many = matches!(x.scheme.level, QuantizationLevel::Channel(_));
        Side { code: Code::new(x.scheme), has_many }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Integers {
    left: Side,
    right: Side,
}

/// The group of a row or column.
#[cube]
fn group(at: u32, #[comptime] side: Side) -> usize {
    let mut group = 0u32;
    if comptime!(side.has_many) {
        group = at;
    }
    group as usize
}

/// The zero point of a row or column before `end`.
#[cube]
#[allow(clippy::collapsible_if)] // The first condition is known when the kernel is compiled.
fn zero_of(zero: &Array<i32>, at: u32, end: u32, #[comptime] side: Side) -> i32 {
    let mut middle = 0i32;
    if comptime!(side.code.has_zero) {
        if at < end {
            middle = zero[group(at, side)];
        }
    }
    middle
}

/// Quantized operand: packed values, and scales and zero points of its rows or columns.
#[derive(CubeType)]
struct Operand<E: Numeric> {
    values: Array<i32>,
    scale: Array<E>,
    zero: Array<i32>,
}

launch_words! {
    struct ProductWords {
        rows: u32,
        depth: u32,
        /// Words of a row of the right side.
        words: u32,
    }
}

#[cube]
fn product<E: Numeric>(
    left: &Operand<E>,
    right: &Operand<E>,
    out: &mut Array<E>,
    sizes: &ProductWords,
    #[comptime] kind: Integers,
) {
    let (rows, depth, words) = (sizes.rows, sizes.depth, sizes.words);
    let tiles_across = (words + comptime!(WORDS - 1)) / comptime!(WORDS);
    let tiles_down = (rows + comptime!(ROWS - 1)) / comptime!(ROWS);
    let cube = CUBE_POS as u32;
    if cube < tiles_across * tiles_down {
        let top = cube / tiles_across * comptime!(ROWS);
        let side = cube % tiles_across * comptime!(WORDS);
        // One more than the rows, so that neighbours are in different banks.
        let mut a = SharedMemory::<i32>::new(comptime!((DEPTH * (ROWS + 1)) as usize));
        let mut b = SharedMemory::<i32>::new(comptime!((DEPTH * WORDS) as usize));
        let x = UNIT_POS % comptime!(WORDS);
        let y = UNIT_POS / comptime!(WORDS);
        let mut sums = Array::<i32>::new(comptime!((OWN * 4) as usize));
        let mut zeros = Array::<i32>::new(4usize);
        let mut factors = Array::<i32>::new(4usize);
        #[unroll]
        for at in 0..comptime!((OWN * 4) as usize) {
            sums[at] = 0i32;
        }
        #[unroll]
        for at in 0..4u32 {
            let col = (side + x) * 4u32 + at;
            zeros[comptime!(at as usize)] = zero_of(&right.zero, col, words * 4u32, comptime!(kind.right));
        }
        let steps = (depth + comptime!(DEPTH - 1)) / comptime!(DEPTH);
        for step in 0..steps {
            let start = step * comptime!(DEPTH);
            #[unroll]
            for part in 0..comptime!(ROWS * DEPTH / UNITS) {
                let at = UNIT_POS + comptime!(part * UNITS);
                let (r, d) = (at / comptime!(DEPTH), at % comptime!(DEPTH));
                let row = top + r;
                let mut value = 0i32;
                if row < rows && start + d < depth {
                    let element = row * depth + start + d;
                    let word = left.values[(element / 4u32) as usize];
                    let shift = i32::cast_from(24u32 - element % 4u32 * 8u32);
                    let number = (word << shift) >> 24i32;
                    value = number - zero_of(&left.zero, row, rows, comptime!(kind.left));
                }
                a[(d * comptime!(ROWS + 1) + r) as usize] = value;
            }
            let mut word = 0i32;
            if start + y < depth && side + x < words {
                word = right.values[((start + y) * words + side + x) as usize];
            }
            b[UNIT_POS as usize] = word;
            sync_cube();
            for d in 0..comptime!(DEPTH) {
                let word = b[(d * comptime!(WORDS) + x) as usize];
                #[unroll]
                for at in 0..4u32 {
                    let number = integer_of(word, at, comptime!(kind.right.code));
                    factors[comptime!(at as usize)] = number - zeros[comptime!(at as usize)];
                }
                #[unroll]
                for i in 0..comptime!(OWN) {
                    let row = y + comptime!(i * (UNITS / WORDS));
                    let factor = a[(d * comptime!(ROWS + 1) + row) as usize];
                    #[unroll]
                    for at in 0..4u32 {
                        let sum = comptime!((i * 4 + at) as usize);
                        sums[sum] += factor * factors[comptime!(at as usize)];
                    }
                }
            }
            sync_cube();
        }
        #[unroll]
        for i in 0..comptime!(OWN) {
            let row = top + y + comptime!(i * (UNITS / WORDS));
            #[unroll]
            for at in 0..4u32 {
                let col = (side + x) * 4u32 + at;
                if row < rows && side + x < words {
                    let by_row = f32::cast_from(left.scale[group(row, comptime!(kind.left))]);
                    let by_col = f32::cast_from(right.scale[group(col, comptime!(kind.right))]);
                    let sum = f32::cast_from(sums[comptime!((i * 4 + at) as usize)]);
                    out[(row * words * 4u32 + col) as usize] = E::cast_from(sum * (by_row * by_col));
                }
            }
        }
    }
}

impl Kernel for Integers {
    const NAME: &'static str = "integer_matmul";

    fn expand(&self, body: &mut Body) {
        let (left_scale, left, right_scale, right) =
            (body.array(0), body.array(1), body.array(2), body.array(3));
        // Without zero points the kernel does not read them.
        let mut next = 4;
        let mut zero = |side: Side| {
            let at = if side.code.has_zero { next } else { 1 };
            next += usize::from(side.code.has_zero);
            at
        };
        let (left_zero, right_zero) = (zero(self.left), zero(self.right));
        let out = body.array(next);
        let left = OperandExpand::<A> { values: left, scale: left_scale, zero: body.array(left_zero) };
        let right = OperandExpand::<A> { values: right, scale: right_scale, zero: body.array(right_zero) };
        let sizes = body.read::<ProductWords>();
        product::expand::<A>(&mut body.scope, left, right, out, sizes, *self);
    }
}

/// See [`IntegerMatmulArgs`]. `otherwise` computes calls without a kernel.
pub fn integer_matmul(
    args: IntegerMatmulArgs<CubeTensor>,
    otherwise: impl FnOnce(IntegerMatmulArgs<CubeTensor>) -> CubeTensor,
) -> CubeTensor {
    let [rows, depth, cols] = [args.lhs.shape[0], args.lhs.shape[1], args.rhs.shape[1]];
    let is_whole = cols % 4 == 0 && rows * depth * cols > 0;
    if !is_whole || !is_single(&args.lhs.scale) {
        return otherwise(args);
    }
    let IntegerMatmulArgs { lhs, rhs } = args.map(contiguous);
    let out = CubeTensor::empty(TensorSpec::new([rows, cols], lhs.scale.dtype()), lhs.scale.engine());
    let kernel = Integers { left: Side::new(&lhs), right: Side::new(&rhs) };
    let inputs: Vec<&CubeTensor> = [&lhs.scale, &lhs.values, &rhs.scale, &rhs.values]
        .into_iter()
        .chain(&lhs.zero)
        .chain(&rhs.zero)
        .collect();
    let words = cols / 4;
    let cubes = rows.div_ceil(ROWS as usize) * words.div_ceil(WORDS as usize);
    let sizes = ProductWords { rows: word(rows), depth: word(depth), words: word(words) };
    launch_cubes(kernel, &inputs, &[&out], &sizes.words(), cubes, CubeDim::new_1d(UNITS));
    out
}
