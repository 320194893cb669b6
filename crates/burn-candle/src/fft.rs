//! Fourier transforms, as products with their matrices: candle has none.

use crate::CandleDevice;
use crate::leaf::Leaf;
use crate::library::Core;
use crate::tensor::CandleTensor;
use burn_backend::{DType, FftOp, HasSpec, TensorSpec, kernels, reference};
use burn_library_backend::Kernels;

#[track_caller]
pub fn fft(op: FftOp, x: CandleTensor, dim: usize) -> CandleTensor {
    let size = x.spec().shape[dim];
    let (rows, columns) = match op {
        FftOp::Forward | FftOp::Backward => (size.saturating_mul(2), size.saturating_mul(2)),
        FftOp::Real => (size, size.saturating_add(2)),
        FftOp::Half { n } => (n, n),
    };
    // The composition makes the matrix, a list, before the first kernel asks for memory.
    drop(Core::take(&TensorSpec::new([rows, columns], DType::F64), CandleDevice::Cpu));
    kernels::ran(|| "composition fft".into());
    reference::fft::<Leaf>(op, x, dim)
}
