use super::rows::{ReducedRows, RowWords, RowsKind, element, result_place, share_of};
use crate::launch::kernel::{A, B, Body, C, D, Kernel, UNITS, launch_cubes};
use crate::launch::row_groups::{Team, lane};
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::{Partial, name_partial};
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Elements that a unit asks for at a time: more would be longer kernels, fewer wait longer for memory.
const AHEAD: u32 = 8;

/// Which element wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Rule {
    op: Extremum,
    is_float: bool,
}

impl Rule {
    fn is_max(self) -> bool {
        self.op == Extremum::Max
    }
}

/// The extreme element of a row, or of a part of it, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Extreme {
    rule: Rule,
    rows: RowsKind,
    /// Whether the elements come with their indices, from parts.
    placed: bool,
}

/// Whether `x` is more extreme than `y`; NaN is the extreme of both ends.
#[cube]
fn beats<T: Numeric>(x: T, y: T, #[comptime] rule: Rule) -> bool {
    let wins = if comptime!(rule.is_max()) { x > y } else { x < y };
    if comptime!(rule.is_float) {
        let new = crate::ops::math::is_not_a_number::<T>(x);
        let old = crate::ops::math::is_not_a_number::<T>(y);
        (wins || new) && !old
    } else {
        wins
    }
}

/// The place `by` after `k`, or behind the last one the first, which is no better than itself.
#[cube]
fn own_or_first(k: u32, first: u32, last: u32, #[comptime] by: u32) -> u32 {
    select(k + by < last, k + by, first)
}

#[cube]
fn extreme<E: Numeric, F: Numeric, I: Numeric, T: Numeric>(
    x: &Array<E>,
    from: &Array<F>,
    values: &mut Array<E>,
    places: &mut Array<I>,
    rows: &RowWords,
    #[comptime] kernel: Extreme,
) {
    let (rule, kind) = comptime!((kernel.rule, kernel.rows));
    let mut best_of = SharedMemory::<T>::new(comptime!(UNITS as usize));
    let mut place_of = SharedMemory::<u32>::new(comptime!(UNITS as usize));
    let share = share_of(rows, kind);
    let start = share.start;
    let mut best = T::from_int(0);
    let mut at = 0u32;
    if share.inside {
        at = share.first;
        best = T::cast_from(x[element(rows, start, share.first, kind)]);
        let mut k = share.first + share.lane;
        while k < share.last {
            let mut values = Array::<T>::new(comptime!(AHEAD as usize));
            #[unroll]
            for i in 0..AHEAD {
                let own = own_or_first(k, share.first, share.last, comptime!(i * kind.team.size));
                values[comptime!(i as usize)] = T::cast_from(x[element(rows, start, own, kind)]);
            }
            #[unroll]
            for i in 0..AHEAD {
                let own = own_or_first(k, share.first, share.last, comptime!(i * kind.team.size));
                let value = values[comptime!(i as usize)];
                let wins = beats::<T>(value, best, rule);
                best = select(wins, value, best);
                at = select(wins, own, at);
            }
            k += comptime!(AHEAD * kind.team.size);
        }
        if comptime!(kernel.placed) {
            at = u32::cast_from(from[element(rows, start, at, kind)]);
        }
    }
    settle::<T>(best, at, &mut best_of, &mut place_of, comptime!(kind.team), rule);
    if share.inside && share.lane == 0u32 {
        let to = result_place(rows, &share, kind);
        values[to] = E::cast_from(best_of[UNIT_POS as usize]);
        places[to] = I::cast_from(place_of[UNIT_POS as usize]);
    }
}

/// Leaves the best of each team, of equals the first, with its leader.
#[cube]
fn settle<T: Numeric>(
    best: T,
    at: u32,
    best_of: &mut SharedMemory<T>,
    place_of: &mut SharedMemory<u32>,
    #[comptime] team: Team,
    #[comptime] rule: Rule,
) {
    let unit = UNIT_POS;
    let lane = lane(team);
    best_of[unit as usize] = best;
    place_of[unit as usize] = at;
    #[unroll]
    for k in 0..comptime!(team.halvings()) {
        let half = comptime!(team.size >> (k + 1));
        let far = comptime!(half * team.step());
        sync_cube();
        if lane < half {
            let (x, y) = (best_of[unit as usize], best_of[(unit + far) as usize]);
            let (i, j) = (place_of[unit as usize], place_of[(unit + far) as usize]);
            let wins = beats::<T>(y, x, rule) || (!beats::<T>(x, y, rule) && j < i);
            if wins {
                best_of[unit as usize] = y;
                place_of[unit as usize] = j;
            }
        }
    }
}

impl Kernel for Extreme {
    const NAME: &'static str = "extreme";

    fn expand(&self, body: &mut Body) {
        let rows = self.rows.read(body);
        name_partial(body, body.dtype(0));
        let x = body.array(0);
        if self.placed {
            let (from, values, places) = (body.array(1), body.array(2), body.array(3));
            extreme::expand::<A, B, D, Partial>(&mut body.scope, x, from, values, places, rows, *self);
        } else {
            let (from, values, places) = (body.array(0), body.array(1), body.array(2));
            extreme::expand::<A, A, C, Partial>(&mut body.scope, x, from, values, places, rows, *self);
        }
    }
}

pub fn reduce_with_indices(
    op: Extremum,
    x: &CubeTensor,
    dim: usize,
    index: DType,
) -> (CubeTensor, CubeTensor) {
    let spec = |dtype| TensorSpec::new(x.shape().with(dim, 1), dtype);
    let out = (CubeTensor::empty(spec(x.dtype()), x.engine()), CubeTensor::empty(spec(index), x.engine()));
    extreme_into(op, x, None, dim, &out);
    out
}

fn extreme_into(
    op: Extremum,
    x: &CubeTensor,
    from: Option<&CubeTensor>,
    dim: usize,
    out: &(CubeTensor, CubeTensor),
) {
    let rows = ReducedRows::new(x, &[dim]);
    if rows.count == 0 {
        return;
    }
    let rule = Rule { op, is_float: x.dtype().is_float() };
    let kernel = Extreme { rule, rows: rows.kind(), placed: from.is_some() };
    let inputs: Vec<&CubeTensor> = [x].into_iter().chain(from).collect();
    let run = |(values, places): &(CubeTensor, CubeTensor)| {
        let units = CubeDim::new_1d(UNITS);
        launch_cubes(kernel, &inputs, &[values, places], &rows.words(), rows.cubes(), units);
    };
    if rows.parts == 1 {
        return run(out);
    }
    let (shape, dim) = rows.of_parts(1);
    let spec = |dtype| TensorSpec::new(shape.clone(), dtype);
    let parts =
        (CubeTensor::empty(spec(x.dtype()), x.engine()), CubeTensor::empty(spec(DType::U32), x.engine()));
    run(&parts);
    extreme_into(op, &parts.0, Some(&parts.1), dim, out);
}
