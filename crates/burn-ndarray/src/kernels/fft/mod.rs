//! Fourier transforms along a dimension, with the plans of `burn-fft`.
//!
//! Rows are transformed one by one, each along memory and several on several threads. Real rows of even
//! length are transformed as complex ones of half the length.

mod rows;

use crate::NdTensor;
use crate::elements::dtype::wide;
use crate::kernels::cast::cast;
use burn_backend::{DType, FftOp, HasSpec};

pub fn fft(op: FftOp, x: NdTensor, dim: usize) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype));
    let y = if dtype == DType::F64 {
        rows::transform::<f64>(op, x, dim)
    } else {
        rows::transform::<f32>(op, x, dim)
    };
    cast(y, dtype)
}
