//! Folds of columns that are neighbours in memory, a strip of them at a time: one accumulator after the other
//! is folded and joined to those before it, so that nothing larger than a few strips is written.

use super::fold::{Fold, fold_four, fold_one};
use crate::elements::number::Number;
use crate::simd::{ACCUMULATORS, FEW, ROUND, prefetch_far};
use core::slice;

/// Rows of neighbouring columns.
#[derive(Clone, Copy, Debug)]
pub struct StripRows<'a, E> {
    pub start: *const E,
    /// Where each row starts.
    pub offsets: &'a [usize],
    /// Whether the rows come from memory: they are prefetched.
    pub is_large: bool,
}

/// Most rows that are few: narrow strips of more of them would be read in pieces that are too short for the
/// memory.
const FEW_ROWS: usize = 2 * ROUND;
/// Columns of the vectors in which narrow strips of many rows are folded.
const VECTOR: usize = 16;
/// Strips between the one that is folded and the one that is prefetched.
const AHEAD: usize = 2;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Accumulator `k` is part of quarter `k % QUARTERS`.
const QUARTERS: usize = 4;

/// The fold of each column, in strips of `S`, and in such of `N` where few are left.
///
/// # Safety
/// As many elements of each row as there are results may be read.
#[inline(always)]
pub unsafe fn fold_strips<E: Number, const S: usize, const N: usize>(
    fold: Fold,
    rows: StripRows<'_, E>,
    out: &mut [E],
) {
    // SAFETY: by the contract.
    unsafe {
        match fold {
            Fold::Sum => fold_strips_with::<E, S, N, true>(rows, out, E::ZERO, E::plus),
            Fold::Prod => fold_strips_with::<E, S, N, true>(rows, out, E::ONE, E::times),
            Fold::Max => fold_strips_with::<E, S, N, false>(rows, out, E::LOWEST, E::larger),
            Fold::Min => fold_strips_with::<E, S, N, false>(rows, out, E::HIGHEST, E::smaller),
        }
    }
}

/// `UNROLLED`: whether the loops over few rows of a whole strip are unrolled, which makes sums faster and
/// extremes slower.
///
/// # Safety
/// As above.
#[inline(always)]
unsafe fn fold_strips_with<E: Number, const S: usize, const N: usize, const UNROLLED: bool>(
    rows: StripRows<'_, E>,
    out: &mut [E],
    identity: E,
    f: impl Fn(E, E) -> E + Copy,
) {
    let (all, count) = (out.len(), rows.offsets.len());
    let is_short = count <= FEW_ROWS;
    let mut first = 0;
    while first < all {
        // The last columns are folded with some before them once more, if they are no strip.
        let (start, width) = match all - first {
            left if left >= S => (first, S),
            left if left >= S / 2 && all >= S => (all - S, S),
            left if is_short && left >= N => (first, N),
            _ if is_short && all >= N => (all - N, N),
            left if left >= VECTOR => (first, left / VECTOR * VECTOR),
            _ if all >= VECTOR => (all - VECTOR, VECTOR),
            left => (first, left),
        };
        let strip = Strip { rows: StripRows { start: rows.start.wrapping_add(start), ..rows }, identity };
        let out = &mut out[start..start + width];
        // SAFETY: the strip lies within the rows.
        unsafe {
            if const { E::IS_INTEGER } {
                if let Ok(out) = <&mut [E; S]>::try_from(&mut *out) {
                    // In registers, unlike a part of a list.
                    let mut sums = [identity; S];
                    strip.fold_integers(&mut sums, f);
                    *out = sums;
                } else {
                    strip.fold_integers(out, f);
                }
            } else if count < FEW {
                strip.fold_few(out, f);
            } else if count <= 2 * ACCUMULATORS {
                match <&mut [E; S]>::try_from(&mut *out) {
                    Ok(out) if const { UNROLLED } => strip.fold_blocks::<S>(out, f),
                    _ => strip.fold_blocks::<S>(out, f),
                }
            } else if let Ok(out) = <&mut [E; S]>::try_from(&mut *out) {
                strip.fold_lanes(out, f);
            } else if let (true, Ok(out)) = (is_short, <&mut [E; N]>::try_from(&mut *out)) {
                strip.fold_lanes(out, f);
            } else {
                strip.fold_narrow::<S>(out, f);
            }
        }
        first = start + width;
    }
}

/// Some columns of the rows.
struct Strip<'a, E> {
    rows: StripRows<'a, E>,
    identity: E,
}

impl<E: Number> Strip<'_, E> {
    /// The first elements of a row.
    ///
    /// # Safety
    /// They may be read.
    #[inline(always)]
    unsafe fn row(&self, k: usize, width: usize) -> &[E] {
        // SAFETY: by the contract.
        unsafe { slice::from_raw_parts(self.rows.start.wrapping_add(self.rows.offsets[k]), width) }
    }

    /// Prefetches rows of a strip to come.
    #[inline(always)]
    fn prefetch(&self, rows: impl Iterator<Item = usize>, width: usize) {
        if self.rows.is_large {
            for k in rows.filter(|&k| k < self.rows.offsets.len()) {
                let row = self.rows.start.wrapping_add(self.rows.offsets[k]).wrapping_add(AHEAD * width);
                for line in 0..width * size_of::<E>() / LINE {
                    prefetch_far(row.cast::<u8>().wrapping_add(line * LINE));
                }
            }
        }
    }

    /// Folds the rows of one or two blocks. The loops are those of a width that the compiler knows, and
    /// unrolls, or of any.
    ///
    /// # Safety
    /// As many elements of each row as there are results, at most `S`, may be read.
    #[inline(always)]
    unsafe fn fold_blocks<const S: usize>(&self, out: &mut [E], f: impl Fn(E, E) -> E + Copy) {
        // SAFETY: by the contract.
        unsafe {
            match self.rows.offsets.len() <= ACCUMULATORS {
                true => self.fold_quarters::<S, 1>(out, f),
                false => self.fold_quarters::<S, 2>(out, f),
            }
        }
    }

    /// Folds and joins four quarters of the accumulators, each of which has one or two rows: these are too
    /// few for an accumulator to be worth room.
    ///
    /// # Safety
    /// As many elements of each row as there are results, at most `S`, may be read.
    #[inline(always)]
    unsafe fn fold_quarters<const S: usize, const BLOCKS: usize>(
        &self,
        out: &mut [E],
        f: impl Fn(E, E) -> E + Copy,
    ) {
        let width = out.len();
        let none = [self.identity; S];
        let mut quarters = [none; QUARTERS];
        for (quarter, sums) in quarters.iter_mut().enumerate() {
            self.prefetch((quarter..BLOCKS * ACCUMULATORS).step_by(QUARTERS), width);
            let mut rows = [[&none[..width]; BLOCKS]; 4];
            for (rows, part) in rows.iter_mut().zip([0, 2, 1, 3]) {
                for (block, row) in rows.iter_mut().enumerate() {
                    let k = block * ACCUMULATORS + QUARTERS * part + quarter;
                    if k < self.rows.offsets.len() {
                        // SAFETY: by the contract.
                        *row = unsafe { self.row(k, width) };
                    }
                }
            }
            let ([a, b, c, d], sums) = (rows, &mut sums[..width]);
            for i in 0..width {
                sums[i] = f(f(lane(a, i, f), lane(b, i, f)), f(lane(c, i, f), lane(d, i, f)));
            }
        }
        let [a, b, c, d] = quarters.each_ref().map(|quarter| &quarter[..width]);
        for i in 0..width {
            out[i] = f(self.identity, f(f(a[i], c[i]), f(b[i], d[i])));
        }
    }

    /// Folds the accumulators in the order in which they are joined: 0 and 8, 4 and 12, these two pairs, and
    /// so on.
    ///
    /// # Safety
    /// As many elements of each row as there are results may be read.
    #[inline(always)]
    unsafe fn fold_lanes<const S: usize>(&self, out: &mut [E; S], f: impl Fn(E, E) -> E + Copy) {
        // SAFETY: by the contract.
        let row = |k: usize| unsafe { self.row(k, S) };
        let count = self.rows.offsets.len();
        if count <= ROUND {
            self.prefetch(0..count, S);
        }
        let rounds = count / ROUND * ROUND;
        // Those that wait for their second half.
        let mut waiting = [[self.identity; S]; 4];
        for index in 0..ACCUMULATORS {
            let lane = lane_of(index);
            // In registers, unlike a part of a list.
            let mut sums = [self.identity; S];
            for k in (lane..rounds).step_by(ROUND) {
                fold_four(&mut sums, [0, 1, 2, 3].map(|block| row(k + block * ACCUMULATORS)), f);
            }
            for k in (rounds + lane..count).step_by(ACCUMULATORS) {
                fold_one(&mut sums, row(k), f);
            }
            let whole = index.trailing_ones() as usize;
            let depth = index.count_ones() as usize;
            for first in waiting[depth - whole..depth].iter().rev() {
                for i in 0..S {
                    sums[i] = f(first[i], sums[i]);
                }
            }
            match waiting.get_mut(depth - whole) {
                Some(place) if index + 1 < ACCUMULATORS => *place = sums,
                _ => *out = sums,
            }
        }
    }

    /// Folds rows one after the other: integers have no order of accumulators to keep.
    ///
    /// # Safety
    /// As many elements of each row as there are results may be read.
    #[inline(always)]
    unsafe fn fold_integers(&self, out: &mut [E], f: impl Fn(E, E) -> E + Copy) {
        let width = out.len();
        if self.rows.offsets.len() <= ROUND {
            self.prefetch(0..self.rows.offsets.len(), width);
        }
        out.fill(self.identity);
        let (fours, rest) = self.rows.offsets.as_chunks::<4>();
        // SAFETY: by the contract.
        let row =
            |offset: usize| unsafe { slice::from_raw_parts(self.rows.start.wrapping_add(offset), width) };
        for offsets in fours {
            fold_four(out, offsets.map(row), f);
        }
        for &offset in rest {
            fold_one(out, row(offset), f);
        }
    }

    /// Folds few rows one after the other, four of them at a time.
    ///
    /// # Safety
    /// As many elements of each row as there are results may be read.
    #[inline(always)]
    unsafe fn fold_few(&self, out: &mut [E], f: impl Fn(E, E) -> E + Copy) {
        let width = out.len();
        // SAFETY: by the contract.
        let row =
            |offset: usize| unsafe { slice::from_raw_parts(self.rows.start.wrapping_add(offset), width) };
        out.fill(self.identity);
        let (fours, rest) = self.rows.offsets.as_chunks::<4>();
        for offsets in fours {
            let [a, b, c, d] = offsets.map(row);
            for i in 0..width {
                out[i] = f(f(f(f(out[i], a[i]), b[i]), c[i]), d[i]);
            }
        }
        for &offset in rest {
            fold_one(out, row(offset), f);
        }
    }

    /// As [`Strip::fold_lanes`], of fewer columns.
    ///
    /// # Safety
    /// As many elements of each row as there are results may be read; there are at most `S`.
    #[inline(always)]
    unsafe fn fold_narrow<const S: usize>(&self, out: &mut [E], f: impl Fn(E, E) -> E + Copy) {
        let (count, width) = (self.rows.offsets.len(), out.len());
        // SAFETY: by the contract.
        let row = |k: usize| unsafe { self.row(k, width) };
        let rounds = count / ROUND * ROUND;
        let mut waiting = [[self.identity; S]; 5];
        let mut depth = 0;
        for index in 0..ACCUMULATORS {
            let (lane, sums) = (lane_of(index), &mut waiting[depth][..width]);
            sums.fill(self.identity);
            for k in (lane..rounds).step_by(ROUND) {
                fold_four(sums, [0, 1, 2, 3].map(|block| row(k + block * ACCUMULATORS)), f);
            }
            for k in (rounds + lane..count).step_by(ACCUMULATORS) {
                fold_one(sums, row(k), f);
            }
            for _ in 0..index.trailing_ones() {
                let (first, second) = waiting.split_at_mut(depth);
                depth -= 1;
                fold_one(&mut first[depth][..width], &second[0], f);
            }
            depth += 1;
        }
        out.copy_from_slice(&waiting[0][..width]);
    }
}

/// The accumulator that is joined at this position of the order.
#[inline(always)]
fn lane_of(index: usize) -> usize {
    index.reverse_bits() >> (usize::BITS - ACCUMULATORS.ilog2())
}

/// The fold of an element of each row of an accumulator.
#[inline(always)]
fn lane<E: Number, const BLOCKS: usize>(rows: [&[E]; BLOCKS], i: usize, f: impl Fn(E, E) -> E) -> E {
    match BLOCKS {
        1 => rows[0][i],
        _ => f(rows[0][i], rows[1][i]),
    }
}
