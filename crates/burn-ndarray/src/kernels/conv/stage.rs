//! Padded copies of parts of planes.

use super::plan::Plan;
use crate::kernels::window::Spatial;
use crate::memory::Buffer;
use crate::simd::{Lanes, with_lanes};
use core::ops::Range;

/// Elements of a plane, `step` apart from an `origin` that may lie before it, as rows of padded planes; zeros
/// outside of the plane and where a padded row is longer than `width`.
#[derive(Clone, Copy, Debug)]
pub struct StridedPlane {
    pub input: Spatial,
    pub step: Spatial,
    pub origin: [isize; 3],
    pub pitch: [usize; 2],
}

impl StridedPlane {
    /// The elements that the taps of one source of a plan read.
    pub fn new(plan: &Plan, origin: [isize; 3]) -> Self {
        StridedPlane { input: plan.input, step: plan.step, origin, pitch: plan.pitch }
    }

    /// Where the elements of the positions `range` lie in every plane of these sizes.
    pub fn runs(&self, range: Range<usize>) -> Runs {
        let (inside, [height, width]) = (self.inside(), self.pitch);
        let mut list = Buffer::new((range.len() / width + 2) * RUN * size_of::<usize>());
        let places: &mut [usize] = list.as_mut_slice().expect("a new buffer is unique");
        let (mut row, mut column) = (range.start / width, range.start % width);
        let (mut done, mut count) = (0, 0);
        while done < range.len() {
            let end = column + (width - column).min(range.len() - done);
            let (first, last) = (inside.start.clamp(column, end), inside.end.clamp(column, end));
            if let Some(start) = self.row(row / height, row % height)
                && first < last
            {
                let from = start + ((first * self.step[2]) as isize + self.origin[2]) as usize;
                places[count * RUN..][..RUN].copy_from_slice(&[from, done + first - column, last - first]);
                count += 1;
            }
            done += end - column;
            (row, column) = (row + 1, 0);
        }
        Runs { list, count, step: self.step[2], len: range.len() }
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
}

/// Numbers of a run: the first element of the plane, its index, and how many there are.
const RUN: usize = 3;

/// Where the elements of planes lie in padded copies of some positions, row by row.
#[derive(Debug)]
pub struct Runs {
    list: Buffer,
    count: usize,
    /// From one element of a run to the next one in the plane.
    step: usize,
    /// Positions of a copy.
    len: usize,
}

impl Runs {
    /// Positions of a copy.
    pub fn positions(&self) -> usize {
        self.len
    }

    /// Makes the copy of a plane.
    pub fn copy(&self, plane: &[f32], out: &mut [f32]) {
        // SAFETY: runs are slices in the order of their offsets, whose lengths are checked before vectors
        // are loaded and stored.
        unsafe { copy_runs(self, plane, &mut out[..self.len]) };
    }
}

with_lanes! { fn copy_runs(runs: &Runs, plane: &[f32], out: &mut [f32]) = run_by_run }

/// # Safety
/// The machine has the instructions of `V`; so in all functions below.
#[inline(always)]
unsafe fn run_by_run<V: Lanes, const R: usize, const N: usize>(runs: &Runs, plane: &[f32], out: &mut [f32]) {
    // SAFETY: by the contract.
    unsafe {
        // Whole vectors go beyond a run, and beyond the zeros before it: what follows is written later.
        let mut done = 0;
        for run in runs.list.as_slice::<usize>()[..runs.count * RUN].chunks_exact(RUN) {
            let [from, to, len] = [run[0], run[1], run[2]];
            clear::<V>(&mut out[done..], to - done);
            done = to + len;
            let vectors = len.div_ceil(V::LANES);
            let is_inside = from + runs.step * vectors * V::LANES <= plane.len();
            if runs.step <= 2 && is_inside && to + vectors * V::LANES <= out.len() {
                let (from, to) = (plane.as_ptr().add(from), out.as_mut_ptr().add(to));
                for first in (0..vectors).map(|vector| vector * V::LANES) {
                    let x = if runs.step == 1 {
                        V::load(from.add(first))
                    } else {
                        V::load(from.add(2 * first)).deinterleave(V::load(from.add(2 * first + V::LANES))).0
                    };
                    x.store(to.add(first));
                }
                continue;
            }
            copy_run::<V>(&plane[from..], runs.step, len, &mut out[to..]);
        }
        let left = out.len() - done;
        clear::<V>(&mut out[done..], left);
    }
}

/// Elements `step` apart, and maybe zeros after them.
///
/// # Safety
/// See [`run_by_run`].
#[inline(always)]
pub(super) unsafe fn copy_run<V: Lanes>(from: &[f32], step: usize, len: usize, out: &mut [f32]) {
    // SAFETY: by the contract; the slices are as long as what is read and written.
    unsafe {
        match step {
            1 => copy_all::<V>(&from[..len], out),
            2 => copy_even::<V>(&from[..2 * len - 1], out),
            step => out[..len].iter_mut().zip(from.iter().step_by(step)).for_each(|(out, &x)| *out = x),
        }
    }
}

/// Writes `count` elements from the start of `out` on, and those of the vector after them where there is
/// room.
///
/// # Safety
/// See [`run_by_run`].
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

/// Zeros in the place of the first `len` elements, and maybe of some after them.
///
/// # Safety
/// See [`run_by_run`].
#[inline(always)]
unsafe fn clear<V: Lanes>(out: &mut [f32], len: usize) {
    for done in (0..len).step_by(V::LANES) {
        // SAFETY: by the contract.
        unsafe { put(V::splat(0.0), &mut out[done..], len - done) };
    }
}

/// All elements, and maybe zeros after them.
///
/// # Safety
/// See [`run_by_run`].
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

/// Every second element, from the first to the last, and maybe zeros after them.
///
/// # Safety
/// See [`run_by_run`].
#[inline(always)]
unsafe fn copy_even<V: Lanes>(from: &[f32], out: &mut [f32]) {
    let whole = (from.len() / (2 * V::LANES)).min(out.len() / V::LANES);
    // SAFETY: there are as many whole vectors of results, and of elements twice as many; both counts are
    // those of elements that are left, and results are half as many.
    unsafe {
        for n in 0..whole {
            let from = from.as_ptr().add(n * 2 * V::LANES);
            let (even, _) = V::load(from).deinterleave(V::load(from.add(V::LANES)));
            even.store(out.as_mut_ptr().add(n * V::LANES));
        }
        let from = &from[whole * 2 * V::LANES..];
        for (n, from) in from.chunks(2 * V::LANES).enumerate() {
            let low = from.len().min(V::LANES);
            let (x, y) = (V::load_first(from.as_ptr(), low), from.as_ptr().wrapping_add(low));
            let (even, _) = x.deinterleave(V::load_first(y, from.len() - low));
            put(even, &mut out[(whole + n) * V::LANES..], from.len().div_ceil(2));
        }
    }
}
