//! What looks at the order of elements along a dimension. Each works on rows: the dimension is moved to the end.

use crate::cast::cast;
use crate::dtype::{wide, with_wide};
use crate::keys::Keyed;
use crate::layout::{around, from_lanes, lanes};
use crate::number::Number;
use crate::parallel;
use crate::reduce::{Fold, fold_run};
use crate::scan::scan;
use crate::sort::{
    AnyBelow, any_below_f32, any_below_f64, any_below_i64, any_below_u64, first_of_row, order_row, sort_row,
};
use crate::tensor::NdTensor;
use burn_backend::{CumulativeOp, DType, Extremum, HasSpec, TensorSpec};

/// Position of the extreme element along `dim`: of equals the first, NaN is the extreme of both.
pub fn arg_reduce(op: Extremum, x: NdTensor, dim: usize, index: DType) -> NdTensor {
    let dtype = x.spec().dtype;
    let rows = lanes(cast(x, wide(dtype)), dim);
    let size = last(&rows);
    let mut out = NdTensor::new(TensorSpec { shape: with_last(&rows, 1), dtype: DType::I64 });
    with_wide!(wide(dtype), E => {
        let xs: &[E] = rows.slice();
        parallel::for_chunks(out.make_mut::<i64>(), 1, size, &|row, out| {
            out[0] = position(op, &xs[row * size..][..size]) as i64;
        });
    });
    from_lanes(cast(out, index), dim)
}

fn position<E: Number>(op: Extremum, xs: &[E]) -> usize {
    let extreme = match op {
        Extremum::Max => fold_run(Fold::Max, xs),
        Extremum::Min => fold_run(Fold::Min, xs),
    };
    let found = xs.iter().position(|&x| x == extreme || (extreme.is_nan() && x.is_nan()));
    found.expect("the extreme element is one of them")
}

pub fn reduce_with_indices(op: Extremum, x: NdTensor, dim: usize, index: DType) -> (NdTensor, NdTensor) {
    let at = arg_reduce(op, x.clone(), dim, DType::I64);
    let value = crate::index::gather(&x, dim, at.clone());
    (value, cast(at, index))
}

/// Running reduction along `dim`.
pub fn cumulative(op: CumulativeOp, x: NdTensor, dim: usize) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let dims = around(x.shape(), dim);
    let mut out = NdTensor::new(x.spec().clone());
    with_wide!(wide(dtype), E => scan(op, x.slice::<E>(), out.make_mut::<E>(), dims));
    cast(out, dtype)
}

pub fn sort(x: NdTensor, dim: usize, descending: bool) -> NdTensor {
    let dtype = x.spec().dtype;
    let mut rows = lanes(cast(x, wide(dtype)), dim);
    let size = last(&rows);
    with_wide!(wide(dtype), E => {
        parallel::for_chunks(rows.make_mut::<E>(), size.max(1), size * 16, &|_, row| sort_row(row, descending));
    });
    cast(from_lanes(rows, dim), dtype)
}

pub fn sort_with_indices(x: NdTensor, dim: usize, descending: bool, index: DType) -> (NdTensor, NdTensor) {
    let size = x.shape()[dim];
    first_in_order(x, dim, size, descending, index)
}

pub fn topk(x: NdTensor, k: usize, dim: usize, largest: bool, index: DType) -> (NdTensor, NdTensor) {
    first_in_order(x, dim, k, largest, index)
}

/// The first `k` elements in order along `dim`, and where they were. Of equals, the first comes first.
fn first_in_order(x: NdTensor, dim: usize, k: usize, descending: bool, index: DType) -> (NdTensor, NdTensor) {
    let dtype = x.spec().dtype;
    let rows = lanes(cast(x, wide(dtype)), dim);
    let size = last(&rows);
    let shape = with_last(&rows, k);
    let mut values = NdTensor::new(TensorSpec { shape: shape.clone(), dtype: wide(dtype) });
    let mut indices = NdTensor::new(TensorSpec { shape, dtype: DType::I64 });
    macro_rules! typed {
        ($E:ty, $any_below:ident) => {{
            let xs: &[$E] = rows.slice();
            let values = parallel::Shared(values.make_mut::<$E>().as_mut_ptr());
            parallel::for_chunks(indices.make_mut::<i64>(), k.max(1), size * 16, &|row, indices| {
                let xs = &xs[row * size..][..size];
                let place = |i: usize, at: usize| {
                    indices[i] = at as i64;
                    // SAFETY: the values have the shape of the indices, and each row is visited once.
                    unsafe { values.get().add(row * k + i).write(xs[at]) };
                };
                first_places(xs, k, descending, $any_below, place);
            });
        }};
    }
    if wide(dtype) == DType::F64 {
        typed!(f64, any_below_f64);
    } else if wide(dtype) == DType::F32 {
        typed!(f32, any_below_f32);
    } else if wide(dtype) == DType::I64 {
        typed!(i64, any_below_i64);
    } else {
        typed!(u64, any_below_u64);
    }
    (cast(from_lanes(values, dim), dtype), cast(from_lanes(indices, dim), index))
}

/// Calls `place(i, at)` for the `k` first elements in order, the `i`th of which is at `at`.
fn first_places<E: Keyed>(
    row: &[E],
    k: usize,
    descending: bool,
    any_below: AnyBelow<E>,
    mut place: impl FnMut(usize, usize),
) {
    if k == 0 {
    } else if k <= row.len() / 4 {
        let best = first_of_row(row, k, descending, any_below);
        best.iter().enumerate().for_each(|(i, &(_, at))| place(i, at as usize));
    } else {
        order_row(row, descending, |i, at| {
            if i < k {
                place(i, at)
            }
        });
    }
}

fn last(rows: &NdTensor) -> usize {
    rows.shape()[rows.shape().rank() - 1]
}

fn with_last(rows: &NdTensor, size: usize) -> burn_backend::Shape {
    rows.shape().with(rows.shape().rank() - 1, size)
}
