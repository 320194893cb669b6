//! Kernels of one tap on every element: matrix products that read planes as they lie, with the epilogue in
//! registers.

use super::geometry::Geometry;
use crate::gemm::epilogue::Epilogue;
use crate::gemm::gathered_columns::GatheredColumns;
use crate::gemm::in_cache::{Panels, panels};
use crate::gemm::matrix::Matrix;
use crate::gemm::single_columns::SINGLES;
use crate::threads::parallel::{self, Shared};
use core::ops::Range;

/// Positions of a plane that are not cut: whole panels for vectors of every width.
const PLACES: usize = 48;
/// Elements of a group's input that stay in the second cache.
const ELEMENTS: usize = 1 << 19;
/// Weights that stay there as well, positions of so few panels that they need not, and weights that are too
/// many even then.
const WEIGHTS: usize = 1 << 17;
const FEW: usize = 4 * PLACES + SINGLES;
const MANY: usize = 1 << 20;
/// Rows of results that are not cut: whole tiles.
const ROWS: usize = 8;

/// Whether planes as they lie are the matrices of a product that nothing beats.
pub fn suits(g: &Geometry) -> bool {
    let (area, depth) = (g.area_out(), g.depth());
    let elements = depth.saturating_mul(area);
    // With few panels, weights are not read often enough to stay in a cache.
    let fits = |rows: usize| rows.saturating_mul(depth) <= if area <= FEW { MANY } else { WEIGHTS };
    g.is_pointwise()
        && area >= 16
        && (1..=ELEMENTS).contains(&elements)
        && g.group_out > 0
        && fits(g.group_out)
}

/// `out = weight * x` with its epilogue.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], epilogue: Epilogue<'_>, out: &mut [f32]) {
    let (area, depth) = (g.area_out(), g.depth());
    let start = Shared(out.as_mut_ptr());
    let (planes, columns) = (g.batch * g.groups, area.div_ceil(PLACES));
    // Threads share the panels; where there are few, or more results than input, the rows. What comes next is
    // often a depthwise convolution, whose planes are in the caches of their threads then.
    let threads = parallel::threads();
    let has_rows = g.group_out >= 2 * depth && g.group_out >= 4 * ROWS * threads;
    let by_columns = !has_rows && planes * (area / PLACES) >= 2 * threads;
    let units = if by_columns { columns } else { g.group_out.div_ceil(ROWS) };
    let part = |plane: usize, units: Range<usize>, singles: &GatheredColumns| {
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
            epilogue: epilogue.rows(first, at),
            lhs: Matrix::new(weight[first * depth..].as_ptr(), depth, 1),
            rhs: Matrix::new(x[plane * depth * area + places.start..].as_ptr(), area, 1),
            singles: Some(singles),
        };
        // SAFETY: the planes and the kernels are those of the group, and no other part has these results.
        unsafe { panels(&args) };
    };
    let cost = (g.group_out * depth * area / units / 8).max(1);
    parallel::for_pieces(planes * units, cost, &|pieces| {
        let (singles, mut last) = (GatheredColumns::new(depth), 0);
        for range in pieces {
            let mut unit = range.start;
            while unit < range.end {
                let (plane, first) = (unit / units, unit % units);
                let end = units.min(first + range.end - unit);
                if plane != last {
                    singles.clear();
                }
                part(plane, first..end, &singles);
                (unit, last) = (unit + end - first, plane);
            }
        }
    });
}
