//! Sums of columns, of which neighbours are loaded at once.

use super::fold::fold_into;
use super::rows::{RowWords, Rows, RowsKind, element, part_place, row_and_part, row_start};
use crate::accumulate::{Join, Partial, name_partial, partial};
use crate::element::stored_size;
use crate::kernel::{A, B, Body, Kernel, UNITS, launch_vectors};
use crate::team::{Team, lane, part_end};
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

cubecl::define_size!(W);

/// Elements from which it pays: fewer want units.
const ENOUGH: usize = 1 << 20;
/// Vectors beside each other that units load together.
const BESIDE: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SumColumns {
    rows: RowsKind,
    width: usize,
    /// Whether the result is divided, for a mean.
    divided: bool,
}

#[cube]
fn sum<E: Numeric, O: Numeric, T: Numeric, W: Size>(
    x: &Array<Vector<E, W>>,
    out: &mut Array<Vector<O, W>>,
    rows: &RowWords,
    divisor: u32,
    #[comptime] kind: RowsKind,
    #[comptime] divided: bool,
) {
    let mut shared = SharedMemory::<Vector<T, W>>::new(comptime!(UNITS as usize));
    let team = comptime!(kind.team);
    let lane = lane(team);
    let (row, part) = row_and_part(rows, kind);
    let inside = row < rows.count && part < rows.parts;
    let mut total = Vector::<T, W>::cast_from(T::from_int(0));
    if inside {
        let start = row_start(rows, row);
        let first = part * rows.chunk;
        let last = part_end(first, rows.chunk, rows.terms);
        let size = comptime!(kind.team.size);
        let mut k = first + lane;
        // Four loads on their way at a time.
        while k + comptime!(3 * kind.team.size) < last {
            let a = Vector::<T, W>::cast_from(x[element(rows, start, k, kind)]);
            let b = Vector::<T, W>::cast_from(x[element(rows, start, k + size, kind)]);
            let c =
                Vector::<T, W>::cast_from(x[element(rows, start, k + comptime!(2 * kind.team.size), kind)]);
            let d =
                Vector::<T, W>::cast_from(x[element(rows, start, k + comptime!(3 * kind.team.size), kind)]);
            total = total + ((a + b) + (c + d));
            k += comptime!(4 * kind.team.size);
        }
        while k < last {
            total = total + Vector::<T, W>::cast_from(x[element(rows, start, k, kind)]);
            k += size;
        }
    }
    settle::<T, W>(total, &mut shared, team);
    if inside && lane == 0u32 {
        let mut result = shared[UNIT_POS as usize];
        if comptime!(divided) {
            result = result / Vector::<T, W>::cast_from(divisor);
        }
        out[part_place(rows, row, part, kind) as usize] = Vector::<O, W>::cast_from(result);
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

impl Kernel for SumColumns {
    const NAME: &'static str = "sum_columns";

    fn expand(&self, body: &mut Body) {
        let (x, out) = (body.variable(0), body.variable(1));
        let (rows, next) = self.rows.read(body);
        let divisor = body.word(next);
        name_partial(body, body.dtype(0));
        body.scope.register_size::<W>(self.width);
        let (kind, divided) = (self.rows, self.divided);
        sum::expand::<A, B, Partial, W>(&mut body.scope, x.into(), out.into(), rows, divisor, kind, divided);
    }
}

/// Sums the rows into `out`, divided where it is a mean, if neighbouring ones can be loaded at once.
pub fn sum_columns(rows: &Rows, x: &CubeTensor, divisor: Option<usize>, out: &CubeTensor) -> bool {
    if rows.count * rows.terms < ENOUGH {
        return false;
    }
    let widest = x.engine().widest_load(stored_size(x.dtype()));
    let in_vectors = |width: usize| rows.in_vectors(width).filter(|rows| rows.count >= BESIDE);
    let mut widths = std::iter::successors(Some(widest), |width| (*width > 1).then_some(width / 2));
    let Some((width, rows)) = widths.find_map(|width| Some((width, in_vectors(width)?))) else {
        return false;
    };
    let whole = rows.parts == 1;
    let kernel = SumColumns { rows: rows.kind(), width, divided: whole && divisor.is_some() };
    let mut words = rows.words();
    words.push(divisor.unwrap_or(1) as u32);
    let run = |to: &CubeTensor| {
        let units = CubeDim::new_1d(UNITS);
        launch_vectors(kernel, &[x], &[to], vec![width; 2], &words, rows.cubes(), units);
    };
    if whole {
        run(out);
        return true;
    }
    let (shape, dim) = rows.of_parts(width);
    let parts = CubeTensor::empty(TensorSpec::new(shape, partial(x.dtype())), x.engine());
    run(&parts);
    fold_into(Join::new(ReduceOp::Sum, x.dtype()), &parts, &[dim], divisor, out);
    true
}
