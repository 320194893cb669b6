//! Order along a dimension. Candle's order is undefined for NaN, and is stable on no device.

use crate::element::Number;
use crate::library::Core;
use crate::rows::{by_row, moved_back, moved_last, shape_moved_last};
use crate::tensor::CandleTensor;
use crate::{cast, host, index};
use burn_backend::{DType, HasSpec, TensorSpec};
use burn_library_backend::{Kernels, with_element};
use std::cmp::Ordering;

pub fn sort_with_indices(
    x: CandleTensor,
    dim: usize,
    descending: bool,
    index: DType,
) -> (CandleTensor, CandleTensor) {
    let size = x.spec().shape[dim];
    first_in_order("sort", x, dim, size, descending, index)
}

pub fn topk(
    x: CandleTensor,
    k: usize,
    dim: usize,
    largest: bool,
    index: DType,
) -> (CandleTensor, CandleTensor) {
    first_in_order("topk", x, dim, k, largest, index)
}

/// The `k` first elements in order along `dim`, and where they were. Of equals, the first comes first.
fn first_in_order(
    op: &'static str,
    x: CandleTensor,
    dim: usize,
    k: usize,
    descending: bool,
    index: DType,
) -> (CandleTensor, CandleTensor) {
    let (dtype, size) = (x.dtype(), x.spec().shape[dim]);
    let spec = TensorSpec::new(x.spec().shape.with(dim, k), DType::I64);
    let shape = shape_moved_last(&spec, dim);
    let places = Core::own(op, [&x], spec, |[x]| {
        let rows = moved_last(&x, &[dim])?;
        let places = with_element!(dtype, E => by_row::<E, i64>(&rows, size, k, |row, out| {
            order::<E>(row, descending, out);
        })?);
        moved_back(&host::make::<i64>(places, &shape)?, dim)
    });
    (index::gather_checked(op, &x, dim, &places), cast::cast(places, index))
}

/// Writes where the first elements in order are; NaN is larger than everything.
fn order<E: Number>(row: &[E::Stored], descending: bool, out: &mut [i64]) {
    let mut places: Vec<i64> = (0..row.len() as i64).collect();
    let value = |&at: &i64| E::load(row[at as usize]);
    let ascending = |x: E, y: E| {
        #[allow(clippy::eq_op, reason = "a number that is not equal to itself is NaN")]
        x.partial_cmp(&y).unwrap_or_else(|| (x != x).cmp(&(y != y)))
    };
    let compare = |a: &i64, b: &i64| -> Ordering {
        let order = ascending(value(a), value(b));
        let order = if descending { order.reverse() } else { order };
        order.then(a.cmp(b))
    };
    if out.len() < row.len() && !out.is_empty() {
        places.select_nth_unstable_by(out.len() - 1, compare);
        places.truncate(out.len());
    }
    places.sort_unstable_by(compare);
    out.copy_from_slice(&places[..out.len()]);
}
