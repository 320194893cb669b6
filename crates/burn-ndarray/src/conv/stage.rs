//! Padded copies of parts of planes.

use super::plan::Plan;
use crate::simd::dispatch;
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
        #[inline(always)]
        fn body<const FMA: bool>(source: &Source, plane: &[f32], range: Range<usize>, out: &mut [f32]) {
            source.copy_rows(plane, range, out);
        }
        dispatch! { fn run(source: &Source, plane: &[f32], range: Range<usize>, out: &mut [f32]) = body }
        run(self, plane, range, out);
    }

    #[inline(always)]
    fn copy_rows(&self, plane: &[f32], range: Range<usize>, out: &mut [f32]) {
        let inside = self.inside();
        let (mut row, mut column) = (range.start / self.pitch[1], range.start % self.pitch[1]);
        let mut rest = &mut out[..range.len()];
        while !rest.is_empty() {
            let (line, left) = rest.split_at_mut((self.pitch[1] - column).min(rest.len()));
            rest = left;
            let columns = column..column + line.len();
            match self.row(row) {
                Some(start) => self.copy_row(&plane[start..][..self.input[2]], &inside, columns, line),
                None => line.fill(0.0),
            }
            (row, column) = (row + 1, 0);
        }
    }

    /// Where the row of the plane starts that a padded row shows.
    #[inline(always)]
    fn row(&self, row: usize) -> Option<usize> {
        let at = |d: usize, i: usize| {
            let at = usize::try_from((i * self.step[d]) as isize + self.origin[d]).ok()?;
            (at < self.input[d]).then_some(at)
        };
        let (slice, row) = (at(0, row / self.pitch[0])?, at(1, row % self.pitch[0])?);
        Some((slice * self.input[1] + row) * self.input[2])
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

    #[inline(always)]
    fn copy_row(&self, from: &[f32], inside: &Range<usize>, columns: Range<usize>, out: &mut [f32]) {
        let first = inside.start.clamp(columns.start, columns.end);
        let end = inside.end.clamp(first, columns.end);
        out[..first - columns.start].fill(0.0);
        out[end - columns.start..].fill(0.0);
        let out = &mut out[first - columns.start..end - columns.start];
        if out.is_empty() {
            return;
        }
        let from = &from[((first * self.step[2]) as isize + self.origin[2]) as usize..];
        match self.step[2] {
            1 => out.copy_from_slice(&from[..out.len()]),
            2 => {
                let (last, most) = out.split_last_mut().expect("not empty");
                *last = from[most.len() * 2];
                most.iter_mut().zip(from.chunks_exact(2)).for_each(|(out, from)| *out = from[0]);
            }
            step => out.iter_mut().zip(from.iter().step_by(step)).for_each(|(out, &x)| *out = x),
        }
    }
}
