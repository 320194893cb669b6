//! Folds of neighbours and of rows, compiled for the machine.

use crate::elements::number::Number;
use crate::simd::{self, ACCUMULATORS, prefetch_far};
use burn_backend::ReduceOp;
use core::slice;

/// Binary operation of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    Sum,
    Prod,
    Max,
    Min,
}

impl Fold {
    pub fn of(op: ReduceOp) -> Self {
        match op {
            ReduceOp::Sum | ReduceOp::Mean => Fold::Sum,
            ReduceOp::Prod => Fold::Prod,
            ReduceOp::Max | ReduceOp::Any => Fold::Max,
            ReduceOp::Min | ReduceOp::All => Fold::Min,
        }
    }

    /// The fold of no elements.
    #[inline(always)]
    pub fn identity<E: Number>(self) -> E {
        match self {
            Fold::Sum => E::ZERO,
            Fold::Prod => E::ONE,
            Fold::Max => E::LOWEST,
            Fold::Min => E::HIGHEST,
        }
    }

    #[inline(always)]
    pub fn apply<E: Number>(self, x: E, y: E) -> E {
        match self {
            Fold::Sum => x.plus(y),
            Fold::Prod => x.times(y),
            Fold::Max => x.larger(y),
            Fold::Min => x.smaller(y),
        }
    }

    /// The fold of the folds of pieces.
    pub fn pieces<E: Number>(self, pieces: impl Iterator<Item = E>) -> E {
        match self {
            Fold::Sum => E::sum(pieces),
            Fold::Prod | Fold::Max | Fold::Min => pieces.fold(self.identity(), |x, y| self.apply(x, y)),
        }
    }
}

/// Fold of neighbours, which must not be none, in the order of [`simd::fold`].
#[inline(always)]
pub fn fold_run<E: Number>(fold: Fold, xs: &[E]) -> E {
    match fold {
        Fold::Sum => simd::fold(xs, E::ZERO, |x| x, E::plus),
        Fold::Prod => simd::fold(xs, E::ONE, |x| x, E::times),
        Fold::Max => simd::fold(xs, E::LOWEST, |x| x, E::larger),
        Fold::Min => simd::fold(xs, E::HIGHEST, |x| x, E::smaller),
    }
}

/// Runs of `size` neighbours that start `step` elements apart.
#[derive(Clone, Copy, Debug)]
pub struct Runs<E> {
    pub start: *const E,
    pub size: usize,
    pub step: usize,
    /// Whether the squares of the elements are folded, which must be a sum.
    pub squares: bool,
}

/// The fold of each run.
///
/// # Safety
/// As many runs as results may be read.
#[inline(always)]
pub(super) unsafe fn fold_runs<E: Number>(fold: Fold, runs: Runs<E>, out: &mut [E]) {
    let mut start = runs.start;
    for out in out {
        // SAFETY: by the contract.
        let xs = unsafe { slice::from_raw_parts(start, runs.size) };
        *out = match runs.squares {
            false => fold_run(fold, xs),
            true => simd::fold(xs, E::ZERO, |x| x.times(x), E::plus),
        };
        start = start.wrapping_add(runs.step);
    }
}

/// Rows of equal width, in blocks of as many rows as there are accumulators of that width: row `l` of each
/// block is folded into accumulator `l`.
#[derive(Debug)]
pub struct Blocks<'a, E> {
    pub start: *const E,
    /// Number of blocks.
    pub count: usize,
    /// Where each row starts, then where those start that follow.
    pub offsets: &'a [usize],
    pub width: usize,
    /// Whether four blocks are folded into each other first.
    pub by_four: bool,
    /// Whether the rows are not in a near cache: they are prefetched.
    pub is_large: bool,
    pub accumulators: &'a mut [E],
}

/// Blocks between those that are folded and those that are prefetched.
const AHEAD: usize = 8;
/// Rows for which [`Blocks`] uses offsets beyond those that it folds.
pub const ROWS_AHEAD: usize = AHEAD * ACCUMULATORS;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Elements of a short row.
const SHORT: usize = 16 * ACCUMULATORS;
/// Most lines of a row that are prefetched: the hardware continues a longer row by itself.
const LINES_AHEAD: usize = 16;

/// Prefetches the starts of rows of so many elements.
#[inline(always)]
fn prefetch_starts<E>(start: *const E, offsets: &[usize], width: usize) {
    for &offset in offsets {
        let row = start.wrapping_add(offset).cast::<u8>();
        for line in 0..(width * size_of::<E>()).div_ceil(LINE).min(LINES_AHEAD) {
            prefetch_far(row.wrapping_add(line * LINE));
        }
    }
}

#[inline(always)]
pub(super) fn fold_one<E: Number>(sums: &mut [E], a: &[E], f: impl Fn(E, E) -> E) {
    let width = sums.len();
    let a = &a[..width];
    for i in 0..width {
        sums[i] = f(sums[i], a[i]);
    }
}

#[inline(always)]
pub(super) fn fold_four<E: Number>(sums: &mut [E], [a, b, c, d]: [&[E]; 4], f: impl Fn(E, E) -> E) {
    let width = sums.len();
    let (a, b, c, d) = (&a[..width], &b[..width], &c[..width], &d[..width]);
    for i in 0..width {
        sums[i] = f(sums[i], f(f(a[i], b[i]), f(c[i], d[i])));
    }
}

/// As [`fold_four`], twice.
#[inline(always)]
fn fold_eight<E: Number>(
    sums: &mut [E],
    [a, b, c, d]: [&[E]; 4],
    [e, g, h, k]: [&[E]; 4],
    f: impl Fn(E, E) -> E,
) {
    let width = sums.len();
    let (a, b, c, d) = (&a[..width], &b[..width], &c[..width], &d[..width]);
    let (e, g, h, k) = (&e[..width], &g[..width], &h[..width], &k[..width]);
    for i in 0..width {
        let sum = f(sums[i], f(f(a[i], b[i]), f(c[i], d[i])));
        sums[i] = f(sum, f(f(e[i], g[i]), f(h[i], k[i])));
    }
}

/// Folds four short rows into each other and into the accumulators, then the next four: the same vector of
/// all of them, so that its accumulators stay in registers.
///
/// # Safety
/// The rows may be read.
#[inline(always)]
unsafe fn fold_short<E: Number>(
    start: *const E,
    offsets: &[usize],
    accumulators: &mut [E],
    f: impl Fn(E, E) -> E + Copy,
) {
    for (vector, accumulators) in accumulators.as_chunks_mut::<ACCUMULATORS>().0.iter_mut().enumerate() {
        let mut sums = *accumulators;
        for four in offsets.as_chunks::<4>().0 {
            let [a, b, c, d] = four.map(|offset| {
                let at = start.wrapping_add(offset + vector * ACCUMULATORS);
                // SAFETY: by the contract.
                unsafe { at.cast::<[E; ACCUMULATORS]>().read_unaligned() }
            });
            for i in 0..ACCUMULATORS {
                sums[i] = f(sums[i], f(f(a[i], b[i]), f(c[i], d[i])));
            }
        }
        *accumulators = sums;
    }
}

/// # Safety
/// The rows may be read and do not overlap with the accumulators.
#[inline(always)]
unsafe fn accumulate_with<E: Number>(blocks: Blocks<'_, E>, f: impl Fn(E, E) -> E + Copy) {
    let Blocks { start, count, offsets, width, by_four, is_large, accumulators } = blocks;
    let rows = accumulators.len() / width;
    // SAFETY: by the contract.
    let row = |k: usize| unsafe { slice::from_raw_parts(start.wrapping_add(offsets[k]), width) };
    let four = |block: usize, k: usize| [0, 1, 2, 3].map(|next| row((block + next) * rows + k));
    let ahead = |first: usize, rows: usize| {
        if let Some(offsets) = offsets.get(first..first + rows).filter(|_| is_large) {
            prefetch_starts(start, offsets, width);
        }
    };
    let mut block = 0;
    let is_short = rows == 1 && width <= SHORT && width.is_multiple_of(ACCUMULATORS);
    if is_short && by_four && !is_large {
        // SAFETY: by the contract.
        unsafe { fold_short(start, &offsets[..count], accumulators, f) };
        block = count / 4 * 4;
    }
    // Long rows are eight streams, since each of them has a new page as often as one alone.
    while is_large && by_four && rows == 1 && block + 8 <= count {
        ahead(block + AHEAD, 8);
        fold_eight(accumulators, four(block, 0), four(block + 4, 0), f);
        block += 8;
    }
    while by_four && block + 4 <= count {
        for (k, sums) in accumulators.chunks_exact_mut(width).enumerate() {
            ahead((block + AHEAD) * rows + 4 * k, 4);
            fold_four(sums, four(block, k), f);
        }
        block += 4;
    }
    for block in block..count {
        for (k, sums) in accumulators.chunks_exact_mut(width).enumerate() {
            fold_one(sums, row(block * rows + k), f);
        }
    }
}

/// # Safety
/// The rows may be read and do not overlap with the accumulators.
#[inline(always)]
pub(super) unsafe fn accumulate<E: Number>(fold: Fold, blocks: Blocks<'_, E>) {
    // SAFETY: by the contract.
    unsafe {
        match fold {
            Fold::Sum => accumulate_with(blocks, E::plus),
            Fold::Prod => accumulate_with(blocks, E::times),
            Fold::Max => accumulate_with(blocks, E::larger),
            Fold::Min => accumulate_with(blocks, E::smaller),
        }
    }
}

#[inline(always)]
fn join_with<E: Number>(accumulators: &[E], out: &mut [E], f: impl Fn(E, E) -> E) {
    let width = out.len();
    // Slices of their own, of a length that is known: the compiler makes vector code of these only.
    let x: [&[E]; ACCUMULATORS] = core::array::from_fn(|k| &accumulators[k * width..][..width]);
    let [a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7] = x;
    for i in 0..width {
        let even = f(f(f(a0[i], b0[i]), f(a4[i], b4[i])), f(f(a2[i], b2[i]), f(a6[i], b6[i])));
        let odd = f(f(f(a1[i], b1[i]), f(a5[i], b5[i])), f(f(a3[i], b3[i]), f(a7[i], b7[i])));
        out[i] = f(even, odd);
    }
}

/// The fold of all accumulators, which are as many times as long as the result.
#[inline(always)]
pub(super) fn join<E: Number>(fold: Fold, accumulators: &[E], out: &mut [E]) {
    match fold {
        Fold::Sum => join_with(accumulators, out, E::plus),
        Fold::Prod => join_with(accumulators, out, E::times),
        Fold::Max => join_with(accumulators, out, E::larger),
        Fold::Min => join_with(accumulators, out, E::smaller),
    }
}
