//! Running reductions. Candle's running sum is a product with a triangular matrix, which NaN and infinities
//! spoil.

use crate::element::{Float, Number};
use crate::host;
use crate::library::Core;
use crate::rows::{by_row, moved_back, moved_last, shape_moved_last};
use crate::tensor::CandleTensor;
use burn_backend::{CumulativeOp, HasSpec};
use burn_library_backend::Int;
use burn_library_backend::{Kernels, with_float, with_int};
use candle_core::{Result, Tensor};

pub fn cumulative(op: CumulativeOp, x: CandleTensor, dim: usize) -> CandleTensor {
    let (dtype, spec) = (x.dtype(), x.spec().clone());
    let (size, shape) = (spec.shape[dim], shape_moved_last(&spec, dim));
    if spec.shape.num_elements() == 0 {
        return x;
    }
    Core::own(op.name(), [&x], spec, |[x]| {
        let rows = moved_last(&x, &[dim])?;
        let result = if dtype.is_float() {
            with_float!(dtype, E => floats::<E>(op, &rows, size, &shape))
        } else {
            with_int!(dtype, E => ints::<E>(op, &rows, size, &shape))
        };
        moved_back(&result?, dim)
    })
}

/// `S` is the type that is carried along a row.
fn scan<E: Number, S: Copy>(
    rows: &Tensor,
    size: usize,
    shape: &[usize],
    wide: impl Fn(E) -> S + Sync,
    narrow: impl Fn(S) -> E + Sync,
    f: impl Fn(S, S) -> S + Sync,
) -> Result<Tensor> {
    let values = by_row::<E, E>(rows, size, size, |row, out| {
        let mut carried: Option<S> = None;
        for (out, &x) in out.iter_mut().zip(row) {
            let x = wide(E::load(x));
            let next = carried.map_or(x, |carried| f(carried, x));
            (*out, carried) = (narrow(next).store(), Some(next));
        }
    })?;
    host::make::<E>(values, shape)
}

fn floats<E: Float>(op: CumulativeOp, rows: &Tensor, size: usize, shape: &[usize]) -> Result<Tensor> {
    type Sum<E> = <E as Float>::Sum;
    let (wide, narrow) = (|x: E| x.to_sum(), |x: Sum<E>| E::from_sum(x));
    // A running sum of ones would end at 2^24 in `f32`.
    let (carried, rounded) = (|x: E| x.to_f64(), |x: f64| E::from_f64(x));
    #[allow(clippy::eq_op, reason = "a number that is not equal to itself is NaN")]
    match op {
        CumulativeOp::Sum => scan(rows, size, shape, carried, rounded, |x, y| x + y),
        CumulativeOp::Prod => scan(rows, size, shape, carried, rounded, |x, y| x * y),
        CumulativeOp::Max => {
            scan(rows, size, shape, wide, narrow, |x, y| if x > y || x != x { x } else { y })
        }
        CumulativeOp::Min => {
            scan(rows, size, shape, wide, narrow, |x, y| if x < y || x != x { x } else { y })
        }
    }
}

fn ints<E: Int + Number>(op: CumulativeOp, rows: &Tensor, size: usize, shape: &[usize]) -> Result<Tensor> {
    let (same, low) = (|x: E| x, |x: E| x.wide() as i64);
    let wrapped = |x: i64| E::wrapped(x.into());
    match op {
        CumulativeOp::Sum => scan(rows, size, shape, low, wrapped, i64::wrapping_add),
        CumulativeOp::Prod => scan(rows, size, shape, low, wrapped, i64::wrapping_mul),
        CumulativeOp::Max => scan(rows, size, shape, same, same, |x, y| if x > y { x } else { y }),
        CumulativeOp::Min => scan(rows, size, shape, same, same, |x, y| if x < y { x } else { y }),
    }
}
