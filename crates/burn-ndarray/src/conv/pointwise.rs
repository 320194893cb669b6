//! Kernels of one tap on every element: matrix products that read planes as they lie, with the bias in their first sums.

use super::geometry::Geometry;
use crate::panel::{self, Panels, panels};
use crate::parallel::{self, Shared};
use crate::product::Matrix;
use core::ops::Range;

/// Places of a plane that are not cut: whole panels for vectors of every width.
const PLACES: usize = 48;
/// Rows of results that are not cut: whole tiles.
const ROWS: usize = 8;

/// Whether planes as they lie are the matrices of a product that nothing beats.
pub fn suits(g: &Geometry) -> bool {
    g.is_pointwise()
        && panel::fits((g.group_out, g.area_out(), g.depth()))
        && g.group_out > 0
        && g.depth() > 0
}

/// `out = weight * x + bias`.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], bias: Option<&[f32]>, out: &mut [f32]) {
    let (area, depth) = (g.area_out(), g.depth());
    let start = Shared(out.as_mut_ptr());
    let (planes, columns) = (g.batch * g.groups, area.div_ceil(PLACES));
    // Many panels are shared among threads; of few ones each thread has some rows.
    let by_columns = planes * columns >= 8 * parallel::threads();
    let units = if by_columns { columns } else { g.group_out.div_ceil(ROWS) };
    let part = |plane: usize, units: Range<usize>| {
        let (rows, places) = if by_columns {
            (0..g.group_out, units.start * PLACES..area.min(units.end * PLACES))
        } else {
            (units.start * ROWS..g.group_out.min(units.end * ROWS), 0..area)
        };
        let first = plane % g.groups * g.group_out + rows.start;
        let at = (plane * g.group_out + rows.start) * area + places.start;
        let args = Panels {
            sizes: (rows.len(), places.len(), depth),
            out: Matrix::new(start.get().wrapping_add(at), area, 1),
            accumulate: false,
            bias: bias.map(|bias| bias[first..].as_ptr()),
            lhs: Matrix::new(weight[first * depth..].as_ptr(), depth, 1),
            rhs: Matrix::new(x[plane * depth * area + places.start..].as_ptr(), area, 1),
        };
        // SAFETY: the planes and the kernels are those of the group, and no other part has these results.
        unsafe { panels(&args) };
    };
    let cost = (g.group_out * depth * area / units / 8).max(1);
    parallel::for_ranges(planes * units, cost, &|range| {
        let mut unit = range.start;
        while unit < range.end {
            let (plane, first) = (unit / units, unit % units);
            let end = units.min(first + range.end - unit);
            part(plane, first..end);
            unit += end - first;
        }
    });
}
