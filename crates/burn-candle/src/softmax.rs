//! Softmax and its logarithm.

use crate::element::Float;
use crate::library::Core;
use crate::memory::in_order;
use crate::rows::{by_row, moved_back, moved_last, shape_moved_last};
use crate::tensor::CandleTensor;
use crate::unary::is_half;
use crate::{cast, host};
use burn_backend::{DType, Element, HasSpec};
use burn_library_backend::{Kernels, with_float};

pub fn softmax(x: CandleTensor, dim: usize) -> CandleTensor {
    let (dtype, spec) = (x.dtype(), x.spec().clone());
    if spec.shape.num_elements() == 0 {
        return x;
    }
    if is_half(dtype) {
        return cast::cast(softmax(cast::cast(x, DType::F32), dim), dtype);
    }
    Core::run("softmax", x.device(), spec, || {
        let rows = in_order(&moved_last(x.candle(), &[dim])?)?;
        moved_back(&candle_nn::ops::softmax_last_dim(&rows)?, dim)
    })
}

pub fn log_softmax(x: CandleTensor, dim: usize) -> CandleTensor {
    let (dtype, spec) = (x.dtype(), x.spec().clone());
    let (size, shape) = (spec.shape[dim], shape_moved_last(&spec, dim));
    if spec.shape.num_elements() == 0 {
        return x;
    }
    Core::own("log_softmax", [&x], spec, |[x]| {
        let rows = moved_last(&x, &[dim])?;
        let values = with_float!(dtype, E => {
            let values = by_row::<E, E>(&rows, size, size, log_softmax_of::<E>)?;
            host::make::<E>(values, &shape)
        });
        moved_back(&values?, dim)
    })
}

/// `(x - max) - log(sum(e^(x - max)))`; halves are computed as floats of 32 bits.
fn log_softmax_of<E: Float>(row: &[E::Stored], out: &mut [E::Stored]) {
    let number = |&x: &E::Stored| E::load(x).to_sum().to_f64();
    let max =
        row.iter().map(number).fold(f64::NEG_INFINITY, |max, x| if x > max || x.is_nan() { x } else { max });
    let sum: f64 = row.iter().map(|x| (number(x) - max).exp()).sum();
    let log = sum.ln();
    out.iter_mut().zip(row).for_each(|(out, x)| *out = E::from_f64(number(x) - max - log).store());
}
