//! Fourier transforms. Complex numbers are pairs in a last dimension of size 2.

use crate::library::Torch;
use crate::memory::in_order;
use crate::reduce::is_half;
use crate::tensor::TchTensor;
use crate::{cast, create};
use burn_backend::{DType, FftOp, HasSpec, Operation, Scalar, Spectral};
use burn_library_backend::{Kernels, result};

#[track_caller]
pub fn fft(op: FftOp, x: TchTensor, dim: usize) -> TchTensor {
    let dtype = x.dtype();
    if is_half(dtype) {
        return cast::cast(fft(op, cast::cast(x, DType::F32), dim), dtype);
    }
    let spec = result(&Operation::Spectral(Spectral::Fft { op, x: &x, dim }));
    if spec.shape.num_elements() == 0 || x.spec().shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    Torch::run("fft", x.device(), spec, || {
        let (x, dim) = (in_order(x.tch())?, dim as i64);
        // No transform divides by the number of elements.
        match op {
            FftOp::Forward => x.f_view_as_complex()?.f_fft_fft(None, dim, "backward")?.f_view_as_real(),
            FftOp::Backward => x.f_view_as_complex()?.f_fft_ifft(None, dim, "forward")?.f_view_as_real(),
            FftOp::Real => x.f_fft_rfft(None, dim, "backward")?.f_view_as_real(),
            FftOp::Half { n } => x.f_view_as_complex()?.f_fft_irfft(n as i64, dim, "forward"),
        }
    })
}
