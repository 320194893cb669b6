use super::columns::{W, in_vectors, sum_columns};
use super::rows::{ReducedRows, RowWords, RowsKind, element, result_place, share_of};
use crate::launch::kernel::{A, B, Body, Kernel, UNITS, launch_vectors};
use crate::launch::row_groups::together;
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::{Join, Partial, join, name_partial, partial};
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// A row, or a part of it, to one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fold {
    how: Join,
    rows: RowsKind,
    /// Neighbouring rows that are folded at once: sums of columns.
    width: usize,
    /// Whether the result is divided, for a mean.
    divided: bool,
}

#[cube]
fn fold<E: Numeric, O: Numeric, T: Numeric>(
    x: &Array<E>,
    out: &mut Array<O>,
    rows: &RowWords,
    divisor: u32,
    #[comptime] how: Join,
    #[comptime] kind: RowsKind,
    #[comptime] divided: bool,
) {
    let mut shared = SharedMemory::<T>::new(comptime!(UNITS as usize));
    let share = share_of(rows, kind);
    let start = share.start;
    let mut total = T::from_int(comptime!(how.neutral()));
    if share.inside {
        if comptime!(how.is_idempotent()) {
            total = T::cast_from(x[element(rows, start, share.first, kind)]);
        }
        let size = comptime!(kind.team.size);
        let mut k = share.first + share.lane;
        // Four loads on their way at a time.
        while k + comptime!(3 * kind.team.size) < share.last {
            let a = T::cast_from(x[element(rows, start, k, kind)]);
            let b = T::cast_from(x[element(rows, start, k + size, kind)]);
            let c = T::cast_from(x[element(rows, start, k + comptime!(2 * kind.team.size), kind)]);
            let d = T::cast_from(x[element(rows, start, k + comptime!(3 * kind.team.size), kind)]);
            let four = join::<T>(join::<T>(a, b, how), join::<T>(c, d, how), how);
            total = join::<T>(total, four, how);
            k += comptime!(4 * kind.team.size);
        }
        while k < share.last {
            total = join::<T>(total, T::cast_from(x[element(rows, start, k, kind)]), how);
            k += size;
        }
    }
    let mut result = together::<T>(total, &mut shared, comptime!(kind.team), how);
    if share.inside && share.lane == 0u32 {
        if comptime!(divided) {
            result /= T::cast_from(divisor);
        }
        out[result_place(rows, &share, kind)] = O::cast_from(result);
    }
}

impl Kernel for Fold {
    const NAME: &'static str = "reduce";

    fn title(&self) -> String {
        if self.width > 1 { "sum_columns".into() } else { Self::NAME.into() }
    }

    fn expand(&self, body: &mut Body) {
        let rows = self.rows.read(body);
        let divisor = body.next_word();
        name_partial(body, body.dtype(0));
        let Fold { how, rows: kind, width, divided } = *self;
        if width > 1 {
            let (x, out) = (body.variable(0).into(), body.variable(1).into());
            body.scope.register_size::<W>(width);
            sum_columns::expand::<A, B, Partial, W>(&mut body.scope, x, out, rows, divisor, kind, divided);
        } else {
            let (x, out) = (body.array(0), body.array(1));
            fold::expand::<A, B, Partial>(&mut body.scope, x, out, rows, divisor, how, kind, divided);
        }
    }
}

pub fn reduce(op: ReduceOp, x: &CubeTensor, dims: &Dims) -> CubeTensor {
    let spec = output_specs(&Operation::Reduction(Reduction::Reduce { op, x, dims: dims.clone() }));
    let spec = spec.unwrap_or_else(|error| panic!("{error}")).one();
    let out = CubeTensor::empty(spec, x.engine());
    let divisor = (op == ReduceOp::Mean).then(|| dims.iter().map(|&d| x.spec().shape[d]).product());
    fold_into(Join::new(op, x.dtype()), x, dims, divisor, &out);
    out
}

/// Rows that are few and long are folded in parts, and these then: `divisor` is of the whole.
pub fn fold_into(how: Join, x: &CubeTensor, dims: &[usize], divisor: Option<usize>, out: &CubeTensor) {
    let rows = ReducedRows::new(x, dims);
    if rows.count == 0 {
        return;
    }
    let columns = how.is_sum().then(|| in_vectors(&rows, x)).flatten();
    let (width, rows) = columns.unwrap_or((1, rows));
    let whole = rows.parts == 1;
    let kernel = Fold { how, rows: rows.kind(), width, divided: whole && divisor.is_some() };
    let mut words = rows.words();
    words.push(divisor.unwrap_or(1) as u32);
    let run = |to: &CubeTensor| {
        let units = CubeDim::new_1d(UNITS);
        launch_vectors(kernel, &[x], &[to], vec![width; 2], &words, rows.cubes(), units);
    };
    if whole {
        return run(out);
    }
    let (shape, dim) = rows.of_parts(width);
    let parts = CubeTensor::empty(TensorSpec::new(shape, partial(x.dtype())), x.engine());
    run(&parts);
    fold_into(how, &parts, &[dim], divisor, out);
}
