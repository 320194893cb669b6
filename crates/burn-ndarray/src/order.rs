//! What looks at the order of elements along a dimension. Each works on rows: the dimension is moved to the end.

use crate::cast::cast;
use crate::dtype::{wide, with_wide};
use crate::layout::{from_lanes, lanes};
use crate::number::Number;
use crate::parallel;
use crate::reduce::{Fold, fold_run};
use crate::tensor::NdTensor;
use alloc::vec::Vec;
use burn_backend::{CumulativeOp, DType, Extremum, HasSpec, TensorSpec};
use core::cmp::Ordering;

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
    let mut rows = lanes(cast(x, wide(dtype)), dim);
    let size = last(&rows);
    with_wide!(wide(dtype), E => {
        parallel::for_chunks(rows.make_mut::<E>(), size.max(1), size * 2, &|_, row| {
            let f: fn(E, E) -> E = match op {
                CumulativeOp::Sum => E::plus,
                CumulativeOp::Prod => E::times,
                CumulativeOp::Max => E::larger,
                CumulativeOp::Min => E::smaller,
            };
            for i in 1..row.len() {
                row[i] = f(row[i - 1], row[i]);
            }
        });
    });
    cast(from_lanes(rows, dim), dtype)
}

pub fn sort(x: NdTensor, dim: usize, descending: bool) -> NdTensor {
    let dtype = x.spec().dtype;
    let mut rows = lanes(cast(x, wide(dtype)), dim);
    let size = last(&rows);
    with_wide!(wide(dtype), E => {
        parallel::for_chunks(rows.make_mut::<E>(), size.max(1), size * 64, &|_, row| {
            row.sort_unstable_by(|x, y| if descending { y.order(x) } else { x.order(y) });
        });
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
    with_wide!(wide(dtype), E => {
        let xs: &[E] = rows.slice();
        let values = parallel::Shared(values.make_mut::<E>().as_mut_ptr());
        parallel::for_chunks(indices.make_mut::<i64>(), k.max(1), size * 64, &|row, indices| {
            let xs = &xs[row * size..][..size];
            let order = |&a: &u32, &b: &u32| -> Ordering {
                let (x, y) = (&xs[a as usize], &xs[b as usize]);
                let order = if descending { y.order(x) } else { x.order(y) };
                order.then(a.cmp(&b))
            };
            let mut places: Vec<u32> = (0..size as u32).collect();
            if k > 0 && k < size {
                places.select_nth_unstable_by(k - 1, order);
                places.truncate(k);
            }
            places.sort_unstable_by(order);
            for (i, (out, &place)) in indices.iter_mut().zip(&places).enumerate() {
                *out = i64::from(place);
                // SAFETY: the values have the shape of the indices, and each row is visited once.
                unsafe { values.get().add(row * k + i).write(xs[place as usize]) };
            }
        });
    });
    (cast(from_lanes(values, dim), dtype), cast(from_lanes(indices, dim), index))
}

fn last(rows: &NdTensor) -> usize {
    rows.shape()[rows.shape().rank() - 1]
}

fn with_last(rows: &NdTensor, size: usize) -> burn_backend::Shape {
    rows.shape().with(rows.shape().rank() - 1, size)
}
