//! Operations on the order of elements along a dimension (sort, argsort, top-k). Each works on rows: the
//! dimension is moved to the end.
//!
//! Elements are sorted as they are stored. Workspace: a copy of the operand unless its rows lie in order, and
//! what [`crate::kernels::sort`] takes for a row on each thread.

use crate::elements::dtype::with_stored;
use crate::kernels::arg_reduce::arg_reduce;
use crate::kernels::cast::cast;
use crate::kernels::layout::{from_lanes, lanes};
use crate::kernels::positions::Positions;
use crate::kernels::radix_keys::Keyed;
use crate::kernels::sort::{first_of_row, order_row, sort_row};
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, Extremum, HasSpec, TensorSpec};

pub fn reduce_with_indices(op: Extremum, x: NdTensor, dim: usize, index: DType) -> (NdTensor, NdTensor) {
    let at = arg_reduce(op, x.clone(), dim, DType::I64);
    let value = crate::kernels::index::gather(&x, dim, at.clone());
    (value, cast(at, index))
}

pub fn sort(x: NdTensor, dim: usize, descending: bool) -> NdTensor {
    let mut rows = lanes(x, dim);
    let size = last(&rows);
    with_stored!("sort", rows.spec().dtype, E => {
        parallel::for_chunks(rows.make_mut::<E>(), size.max(1), size * 16, &|_, row| sort_row(row, descending));
    });
    from_lanes(rows, dim)
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
    let rows = lanes(x, dim);
    let (size, shape) = (last(&rows), with_last(&rows, k));
    let mut values = NdTensor::new(TensorSpec { shape: shape.clone(), dtype });
    let mut indices = NdTensor::new(TensorSpec { shape, dtype: Positions::dtype(index) });
    let places = Positions::new(&mut indices);
    with_stored!("topk", dtype, E => {
        first_of_rows(rows.slice::<E>(), size, (k, descending), values.make_mut::<E>(), &places);
    });
    (from_lanes(values, dim), cast(from_lanes(indices, dim), index))
}

/// Writes the first `k` elements of each row of `size` elements, and their indices.
fn first_of_rows<E: Keyed>(
    xs: &[E],
    size: usize,
    (k, descending): (usize, bool),
    values: &mut [E],
    places: &Positions,
) {
    let rows = xs.len() / size.max(1);
    assert_eq!(values.len(), rows * k, "there are `k` results for each row");
    let values = Shared(values.as_mut_ptr());
    parallel::for_ranges(rows, size * 16, &|range| {
        for row in range {
            let xs = &xs[row * size..][..size];
            // SAFETY: values and indices have `k` elements for each row, which one thread visits once.
            first_places(xs, k, descending, |i, at| unsafe {
                places.write(row * k + i, at);
                values.get().add(row * k + i).write(xs[at]);
            });
        }
    });
}

/// Calls `place(i, at)` for the `k` first elements in order, the `i`th of which is at `at`.
fn first_places<E: Keyed>(row: &[E], k: usize, descending: bool, mut place: impl FnMut(usize, usize)) {
    if k == 0 {
    } else if k <= row.len() / 4 {
        let best = first_of_row(row, k, descending);
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
