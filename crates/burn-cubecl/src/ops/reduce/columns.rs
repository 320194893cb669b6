//! Sums of columns, of which neighbours are loaded at once.

use super::rows::{ReducedRows, RowWords, RowsKind, element, result_place, share_of};
use crate::launch::element::stored_size;
use crate::launch::kernel::UNITS;
use crate::launch::row_groups::{Team, lane};
use crate::launch::tensor::CubeTensor;
use burn_backend::*;
use cubecl::prelude::*;

cubecl::define_size!(pub W);

/// Elements from which it pays: fewer want units.
const ENOUGH: usize = 1 << 20;
/// Vectors beside each other that units load together.
const BESIDE: usize = 32;

/// The rows in vectors of neighbouring ones, and how many a vector has, where it pays to load them at once.
pub fn in_vectors(rows: &ReducedRows, x: &CubeTensor) -> Option<(usize, ReducedRows)> {
    if rows.count * rows.terms < ENOUGH {
        return None;
    }
    let widest = x.engine().widest_load(stored_size(x.dtype()));
    let mut widths = std::iter::successors(Some(widest), |width| (*width > 1).then_some(width / 2));
    let pays = |width: usize| rows.in_vectors(width).filter(|rows| rows.count >= BESIDE);
    widths.find_map(|width| Some((width, pays(width)?)))
}

/// As [`fold`](super::fold), of vectors: a sum of each number. The caller names the size `W`.
#[cube]
pub fn sum_columns<E: Numeric, O: Numeric, T: Numeric, W: Size>(
    x: &Array<Vector<E, W>>,
    out: &mut Array<Vector<O, W>>,
    rows: &RowWords,
    divisor: u32,
    #[comptime] kind: RowsKind,
    #[comptime] divided: bool,
) {
    let mut shared = SharedMemory::<Vector<T, W>>::new(comptime!(UNITS as usize));
    let share = share_of(rows, kind);
    let start = share.start;
    let mut total = Vector::<T, W>::cast_from(T::from_int(0));
    if share.inside {
        let size = comptime!(kind.team.size);
        let mut k = share.first + share.lane;
        // Four loads on their way at a time.
        while k + comptime!(3 * kind.team.size) < share.last {
            let a = Vector::<T, W>::cast_from(x[element(rows, start, k, kind)]);
            let b = Vector::<T, W>::cast_from(x[element(rows, start, k + size, kind)]);
            let c =
                Vector::<T, W>::cast_from(x[element(rows, start, k + comptime!(2 * kind.team.size), kind)]);
            let d =
                Vector::<T, W>::cast_from(x[element(rows, start, k + comptime!(3 * kind.team.size), kind)]);
            total = total + ((a + b) + (c + d));
            k += comptime!(4 * kind.team.size);
        }
        while k < share.last {
            total = total + Vector::<T, W>::cast_from(x[element(rows, start, k, kind)]);
            k += size;
        }
    }
    settle::<T, W>(total, &mut shared, comptime!(kind.team));
    if share.inside && share.lane == 0u32 {
        let mut result = shared[UNIT_POS as usize];
        if comptime!(divided) {
            result = result / Vector::<T, W>::cast_from(divisor);
        }
        out[result_place(rows, &share, kind)] = Vector::<O, W>::cast_from(result);
    }
}

/// Leaves the sum of each team with its leader.
#[cube]
fn settle<T: Numeric, W: Size>(
    own: Vector<T, W>,
    shared: &mut SharedMemory<Vector<T, W>>,
    #[comptime] team: Team,
) {
    let unit = UNIT_POS;
    let lane = lane(team);
    shared[unit as usize] = own;
    #[unroll]
    for k in 0..comptime!(team.halvings()) {
        let half = comptime!(team.size >> (k + 1));
        let far = comptime!(half * team.step());
        sync_cube();
        if lane < half {
            let other = shared[(unit + far) as usize];
            shared[unit as usize] = shared[unit as usize] + other;
        }
    }
}
