//! Fourier transforms of any length in `O(n log n)`: by `rustfft`, or by our own mixed radix where there is no `std`.
//!
//! Rows are transformed one by one, each along memory and several on several threads. Real rows of even length are
//! transformed as complex ones of half the length.

#[cfg(any(test, not(feature = "std")))]
mod mixed_radix;
mod plan;
mod root;
mod rows;

use crate::NdTensor;
use crate::cast::cast;
use crate::dtype::wide;
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
