//! Fourier transforms.

use super::{Case, case, numbers};
use burn::tensor::signal;
use burn_onnx::export::OnnxExport;

pub fn cases() -> Vec<Case> {
    let batch = || OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch");
    vec![case("fourier", batch(), &0_usize, vec![numbers([2, 8]), numbers([3, 8])], |_, x| {
        let (real, imaginary) = signal::rfft(x.clone(), 1, None);
        let back = signal::irfft(real.clone() * 0.5, imaginary.clone() * 0.5, 1, None);
        let (forward, _) = signal::fft(x.clone(), x.clone() * 0.5, 1, None);
        let (inverse, _) = signal::ifft(x.clone() * 0.25, x, 1, None);
        (real, imaginary, back, forward, inverse)
    })]
}
