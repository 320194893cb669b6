//! Extreme values and where they are.

use crate::element::Number;
use crate::library::Core;
use crate::rows::{by_row, moved_back, moved_last};
use crate::tensor::CandleTensor;
use crate::{cast, host, index};
use burn_backend::{DType, Extremum, HasSpec, TensorSpec};
use burn_library_backend::{Kernels, with_element};

pub fn reduce_with_indices(
    op: Extremum,
    x: CandleTensor,
    dim: usize,
    index: DType,
) -> (CandleTensor, CandleTensor) {
    let places = arg_reduce(op, x.clone(), dim, DType::I64);
    (index::gather_checked("reduce_with_indices", &x, dim, &places), cast::cast(places, index))
}

/// Candle's kernel would pass over NaN, which is the extreme of both ends.
pub fn arg_reduce(op: Extremum, x: CandleTensor, dim: usize, index: DType) -> CandleTensor {
    let (dtype, size) = (x.dtype(), x.spec().shape[dim]);
    let spec = TensorSpec::new(x.spec().shape.with(dim, 1), DType::I64);
    let shape = crate::rows::shape_moved_last(&spec, dim);
    let places = Core::own("arg_reduce", [&x], spec, |[x]| {
        let rows = moved_last(&x, &[dim])?;
        let places = with_element!(dtype, E => by_row::<E, i64>(&rows, size, 1, |row, out| {
            out[0] = extreme::<E>(op, row) as i64;
        })?);
        moved_back(&host::make::<i64>(places, &shape)?, dim)
    });
    cast::cast(places, index)
}

/// Where the extreme value is; of equals the first, and the first NaN if there is one.
fn extreme<E: Number>(op: Extremum, row: &[E::Stored]) -> usize {
    let mut best = 0;
    let mut value = E::load(row[0]);
    for (at, &x) in row.iter().enumerate() {
        let x = E::load(x);
        #[allow(clippy::eq_op, reason = "a number that is not equal to itself is NaN")]
        let wins = match op {
            Extremum::Max => x > value || (x != x && value == value),
            Extremum::Min => x < value || (x != x && value == value),
        };
        if wins {
            (best, value) = (at, x);
        }
    }
    best
}
