//! Padded copies of parts of planes.

use super::plan::Plan;
use crate::simd::{Lanes, with_lanes};
use crate::window::Spatial;
use core::ops::Range;

/// Elements of a plane, `step` apart from an `origin` that may lie before it, as rows of padded planes; zeros
/// outside of the plane and where a padded row is longer than `width`.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    pub input: Spatial,
    pub step: Spatial,
    pub origin: [isize; 3],
    pub pitch: [usize; 2],
}

impl Source {
    /// What the taps of one source of a plan read.
    pub fn new(plan: &Plan, origin: [isize; 3]) -> Self {
        Source { input: plan.input, step: plan.step, origin, pitch: plan.pitch }
    }

    /// Copies the places `range` of the padded plane.
    pub fn copy(&self, plane: &[f32], range: Range<usize>, out: &mut [f32]) {
        // SAFETY: rows are slices, whose lengths are looked at before vectors are loaded and stored.
        unsafe { copy_places(self, plane, range.start, &mut out[..range.len()]) };
    }

    /// Start of the row of the plane that a padded row of a padded slice shows.
    #[inline(always)]
    fn row(&self, slice: usize, row: usize) -> Option<usize> {
        let at = |d: usize, i: usize| {
            let at = usize::try_from((i * self.step[d]) as isize + self.origin[d]).ok()?;
            (at < self.input[d]).then_some(at)
        };
        Some((at(0, slice)? * self.input[1] + at(1, row)?) * self.input[2])
    }

    /// The columns of padded rows that lie inside of the plane.
    #[inline(always)]
    fn inside(&self) -> Range<usize> {
        let [.., step] = self.step;
        let before = (-self.origin[2]).max(0) as usize;
        let first = before.div_ceil(step);
        let end = (self.input[2] as isize - self.origin[2]).max(0) as usize;
        first..end.div_ceil(step).max(first)
    }

    /// Writes a row from the start of `out` on, which has the places behind it too: whole vectors go beyond the row, since what follows
    /// is written later.
    ///
    /// # Safety
    /// The machine has the instructions of `V`; so in all functions below.
    #[inline(always)]
    unsafe fn copy_row<V: Lanes>(
        &self,
        from: &[f32],
        inside: &Range<usize>,
        columns: Range<usize>,
        out: &mut [f32],
    ) {
        let first = inside.start.clamp(columns.start, columns.end);
        let end = inside.end.clamp(first, columns.end);
        // SAFETY: by the contract; elements of the row are there for all columns inside.
        unsafe {
            clear::<V>(out, first - columns.start);
            let (at, len) = (first - columns.start, end - first);
            if len > 0 {
                let from = &from[((first * self.step[2]) as isize + self.origin[2]) as usize..];
                let out = &mut out[at..];
                match self.step[2] {
                    1 => copy_all::<V>(&from[..len], out),
                    2 => copy_even::<V>(&from[..2 * len - 1], out),
                    step => {
                        out[..len].iter_mut().zip(from.iter().step_by(step)).for_each(|(out, &x)| *out = x)
                    }
                }
            }
            clear::<V>(&mut out[at + len..], columns.end - end);
        }
    }
}

with_lanes! { fn copy_places(source: &Source, plane: &[f32], first: usize, out: &mut [f32]) = body }

/// Copies places from `first` on. Rows may be short, and calls of the system's copy dear for them.
///
/// # Safety
/// See [`Source::copy_row`].
#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(
    source: &Source,
    plane: &[f32],
    first: usize,
    out: &mut [f32],
) {
    let (inside, [height, width]) = (source.inside(), source.pitch);
    let (row, mut column) = (first / width, first % width);
    let (mut slice, mut row) = (row / height, row % height);
    let mut rest = out;
    while !rest.is_empty() {
        let columns = column..column + (width - column).min(rest.len());
        let len = columns.len();
        // SAFETY: by the contract.
        unsafe {
            match source.row(slice, row) {
                Some(start) => {
                    source.copy_row::<V>(&plane[start..][..source.input[2]], &inside, columns, rest);
                }
                None => clear::<V>(rest, len),
            }
        }
        rest = &mut rest[len..];
        (row, column) = (row + 1, 0);
        if row == height {
            (slice, row) = (slice + 1, 0);
        }
    }
}

/// Writes `count` elements from the start of `out` on, and those of the vector behind them where there is room.
///
/// # Safety
/// See [`Source::copy_row`].
#[inline(always)]
unsafe fn put<V: Lanes>(x: V, out: &mut [f32], count: usize) {
    // SAFETY: by the contract; the elements are there.
    unsafe {
        if out.len() >= V::LANES {
            x.store(out.as_mut_ptr())
        } else {
            x.store_first(out.as_mut_ptr(), count.min(out.len()))
        }
    }
}

/// Zeros in the place of the first `len` elements, and maybe of some behind them.
///
/// # Safety
/// See [`Source::copy_row`].
#[inline(always)]
unsafe fn clear<V: Lanes>(out: &mut [f32], len: usize) {
    for done in (0..len).step_by(V::LANES) {
        // SAFETY: by the contract.
        unsafe { put(V::splat(0.0), &mut out[done..], len - done) };
    }
}

/// All elements, and maybe zeros behind them.
///
/// # Safety
/// See [`Source::copy_row`].
#[inline(always)]
unsafe fn copy_all<V: Lanes>(from: &[f32], out: &mut [f32]) {
    for (n, from) in from.chunks(V::LANES).enumerate() {
        let whole = from.len() == V::LANES;
        // SAFETY: by the contract; the chunk has as many elements.
        unsafe {
            let x = if whole { V::load(from.as_ptr()) } else { V::load_first(from.as_ptr(), from.len()) };
            put(x, &mut out[n * V::LANES..], from.len());
        }
    }
}

/// Every second element, from the first to the last, and maybe zeros behind them.
///
/// # Safety
/// See [`Source::copy_row`].
#[inline(always)]
unsafe fn copy_even<V: Lanes>(from: &[f32], out: &mut [f32]) {
    for (n, from) in from.chunks(2 * V::LANES).enumerate() {
        let low = from.len().min(V::LANES);
        // SAFETY: both counts are those of elements of the chunk, and results are half as many.
        unsafe {
            let (x, y) = (V::load_first(from.as_ptr(), low), from.as_ptr().wrapping_add(low));
            let (even, _) = x.deinterleave(V::load_first(y, from.len() - low));
            put(even, &mut out[n * V::LANES..], from.len().div_ceil(2));
        }
    }
}
