//! Positions of extreme elements. Elements are read where they lie and widened a piece at a time: workspace
//! is at most 64 KiB a thread.

use crate::elements::collapsed::{Collapsed, collapse};
use crate::elements::dtype::{wide, with_wide};
use crate::elements::load::Wide;
use crate::elements::number::Number;
use crate::kernels::cast::cast;
use crate::kernels::positions::Positions;
use crate::kernels::reduce::{Fold, ReductionSource, fold_run};
use crate::memory::Buffer;
use crate::miri::shrink;
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{DType, Dims, Extremum, HasSpec, TensorSpec};
use core::ops::Range;
use core::slice;

/// Elements of a row that are looked at twice, for the extreme and for its index.
const PIECE: usize = shrink(4096, 64);
/// Columns that are walked down together.
const COLUMNS: usize = shrink(256, 32);
/// Fewest columns.
const FEW: usize = 8;

/// Position of the extreme element along `dim`: of equals the first, NaN is the extreme of both.
pub fn arg_reduce(op: Extremum, x: NdTensor, dim: usize, index: DType) -> NdTensor {
    let dtype = x.spec().dtype;
    let mut out = NdTensor::new(TensorSpec { shape: x.shape().with(dim, 1), dtype: Positions::dtype(index) });
    if out.len() > 0 {
        with_wide!("arg_reduce", wide(dtype), E => Search::<E>::new(op, &x, dim, &mut out).run());
    }
    cast(out, index)
}

/// Rows along a dimension, and where the positions go.
struct Search<E> {
    op: Extremum,
    source: ReductionSource<E>,
    size: usize,
    step: usize,
    /// Where rows start, in the operand and in the results.
    grid: Collapsed<2>,
    out: Positions,
}

impl<E: Extreme> Search<E> {
    fn new(op: Extremum, x: &NdTensor, dim: usize, out: &mut NdTensor) -> Self {
        let (shape, strides, results) = (x.shape(), x.strides(), out.shape().strides());
        let others =
            |list: &[usize]| -> Dims { (0..list.len()).filter(|&d| d != dim).map(|d| list[d]).collect() };
        let grid = collapse(&others(shape), [&others(&strides), &others(&results)]);
        let (size, step) = (shape[dim], strides[dim]);
        Search { op, source: ReductionSource::new(x), size, step, grid, out: Positions::new(out) }
    }

    fn run(&self) {
        let columns = self.grid.nearest(0).filter(|&d| {
            let nearer = self.grid.distance(0, d) < (self.step as isize).unsigned_abs();
            nearer && self.grid.shape[d] >= FEW && u32::try_from(self.size).is_ok()
        });
        if let Some(d) = columns {
            return self.run_columns(d);
        }
        let inner = self.grid.inner();
        parallel::for_ranges(self.grid.rows() * inner, self.size * 2, &|range| {
            let mut scratch: Option<Buffer> = None;
            for row in range {
                let [start, at] = self.grid.place(row);
                let best = self.search(start, &mut scratch);
                // SAFETY: each position is written once.
                unsafe { self.out.write(at, best) };
            }
        });
    }

    /// The position of the extreme element of a row, piece after piece.
    fn search(&self, start: usize, scratch: &mut Option<Buffer>) -> usize {
        let in_order = self.source.is_wide && (self.step == 1 || self.size == 1);
        let mut best: Option<(E, usize)> = None;
        for first in (0..self.size).step_by(PIECE) {
            let len = PIECE.min(self.size - first);
            let from = self.source.at(start.wrapping_add(self.step.wrapping_mul(first)));
            let xs = if in_order {
                // SAFETY: the piece lies within the tensor.
                unsafe { slice::from_raw_parts(from.cast::<E>(), len) }
            } else {
                let room = || Buffer::new(PIECE * size_of::<E>());
                let xs = scratch.get_or_insert_with(room).as_mut_slice::<E>().expect("it is unique");
                // SAFETY: the piece lies within the tensor.
                unsafe { (self.source.load)(from, self.step, &mut xs[..len]) };
                &xs[..len]
            };
            let at = position(self.op, xs);
            if best.is_none_or(|(extreme, _)| is_beyond(self.op, xs[at], extreme)) {
                best = Some((xs[at], first + at));
            }
        }
        best.expect("a row with an extreme element is not empty").1
    }

    /// Walks down neighbouring columns, those along dimension `d` of the grid.
    fn run_columns(&self, d: usize) {
        let (others, count) = (self.grid.without(d), self.grid.shape[d]);
        let (bands, width) = (count.div_ceil(COLUMNS), COLUMNS.min(count));
        parallel::for_ranges(others.rows() * bands, self.size * width, &|range| {
            self.walk_columns(range, &others, d);
        });
    }

    fn walk_columns(&self, range: Range<usize>, others: &Collapsed<2>, d: usize) {
        let (count, step, result_step) =
            (self.grid.shape[d], self.grid.strides[0][d], self.grid.strides[1][d]);
        let (bands, in_order) = (count.div_ceil(COLUMNS), self.source.is_wide && step == 1);
        let (mut best, mut row) = ([E::ZERO; COLUMNS], [E::ZERO; COLUMNS]);
        let mut at = [0_u32; COLUMNS];
        for index in range {
            let ([start, result], first) = (others.row(index / bands), index % bands * COLUMNS);
            let width = COLUMNS.min(count - first);
            let start = start.wrapping_add(first.wrapping_mul(step));
            at.fill(0);
            for k in 0..self.size {
                let from = self.source.at(start.wrapping_add(self.step.wrapping_mul(k)));
                let xs = if in_order {
                    // SAFETY: the columns lie within the tensor.
                    unsafe { slice::from_raw_parts(from.cast::<E>(), width) }
                } else {
                    // SAFETY: the columns lie within the tensor.
                    unsafe { (self.source.load)(from, step, &mut row[..width]) };
                    &row[..width]
                };
                if k == 0 {
                    best[..width].copy_from_slice(xs);
                } else {
                    E::keep_extreme(self.op, xs, k as u32, &mut best[..width], &mut at[..width]);
                }
            }
            for (k, &at) in at[..width].iter().enumerate() {
                // SAFETY: each position is written once.
                unsafe { self.out.write(result + (first + k) * result_step, at as usize) };
            }
        }
    }
}

fn position<E: Number>(op: Extremum, xs: &[E]) -> usize {
    let extreme = match op {
        Extremum::Max => fold_run(Fold::Max, xs),
        Extremum::Min => fold_run(Fold::Min, xs),
    };
    let found = xs.iter().position(|&x| x == extreme || (extreme.is_nan() && x.is_nan()));
    found.expect("the extreme element is one of them")
}

#[inline(always)]
fn is_beyond<E: Number>(op: Extremum, x: E, extreme: E) -> bool {
    let beyond = match op {
        Extremum::Max => x > extreme,
        Extremum::Min => x < extreme,
    };
    beyond | (x.is_nan() & !extreme.is_nan())
}

/// A type of arithmetic whose extremes of columns are kept by a kernel that was compiled for the machine.
trait Extreme: Wide {
    /// Where an element of row `k` is beyond the best one of its column, it and `k` replace that.
    fn keep_extreme(op: Extremum, xs: &[Self], k: u32, best: &mut [Self], at: &mut [u32]);
}

#[inline(always)]
fn keep_extreme<E: Number>(op: Extremum, xs: &[E], k: u32, best: &mut [E], at: &mut [u32]) {
    let (best, at) = (&mut best[..xs.len()], &mut at[..xs.len()]);
    macro_rules! keep {
        ($op:expr) => {
            for i in 0..xs.len() {
                let beyond = is_beyond($op, xs[i], best[i]);
                best[i] = if beyond { xs[i] } else { best[i] };
                at[i] = if beyond { k } else { at[i] };
            }
        };
    }
    match op {
        Extremum::Max => keep!(Extremum::Max),
        Extremum::Min => keep!(Extremum::Min),
    }
}

macro_rules! extreme {
    ($($ty:ident $body:ident $name:ident;)*) => {$(
        #[inline(always)]
        fn $body<const FMA: bool>(op: Extremum, xs: &[$ty], k: u32, best: &mut [$ty], at: &mut [u32]) {
            keep_extreme(op, xs, k, best, at);
        }
        dispatch! { narrow fn $name(op: Extremum, xs: &[$ty], k: u32, best: &mut [$ty], at: &mut [u32]) = $body }

        impl Extreme for $ty {
            fn keep_extreme(op: Extremum, xs: &[$ty], k: u32, best: &mut [$ty], at: &mut [u32]) {
                $name(op, xs, k, best, at);
            }
        }
    )*};
}
extreme! { f32 body_f32 keep_f32; i64 body_i64 keep_i64; }
#[cfg(feature = "dtypes")]
extreme! { f64 body_f64 keep_f64; u64 body_u64 keep_u64; }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::create;
    use burn_backend::TensorData;

    #[test]
    fn positions_of_rows_and_columns_are_those_of_the_first_extreme() {
        for [rows, columns] in
            shrink([[3, 5], [7, 300], [9000, 9], [2, 9000]], [[3, 5], [7, 70], [200, 9], [2, 200]])
        {
            let period = shrink(977, 97);
            let value = |i: usize| if i % period == period - 1 { f32::NAN } else { (i * 7919 % 613) as f32 };
            let values: Vec<f32> = (0..rows * columns).map(value).collect();
            let data = TensorData::new(values.clone(), [rows, columns]);
            let x = create::from_data(&data);
            for (dim, op) in [(0, Extremum::Max), (1, Extremum::Min)] {
                let found = arg_reduce(op, x.clone(), dim, DType::I32);
                let (count, size) = if dim == 0 { (columns, rows) } else { (rows, columns) };
                for (row, &found) in found.slice::<i32>().iter().enumerate().take(count) {
                    let at = |k: usize| if dim == 0 { k * columns + row } else { row * columns + k };
                    let mut best = 0;
                    for k in 1..size {
                        if is_beyond(op, values[at(k)], values[at(best)]) {
                            best = k;
                        }
                    }
                    assert_eq!(found as usize, best, "{rows} x {columns}, row {row} along {dim}");
                }
            }
        }
    }
}
