use serde::{Deserialize, Serialize};

/// Discrete Fourier transforms of the `n` elements along a dimension.
///
/// There is no complex element type: complex numbers are pairs of a real and an imaginary part, in a last
/// dimension of size 2 that the transformed one is not. No transform divides by `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FftOp {
    /// `X[k] = sum over j of x[j] e^(-2 pi i j k / n)`; complex to complex.
    Forward,
    /// `x[j] = sum over k of X[k] e^(2 pi i j k / n)`; complex to complex.
    Backward,
    /// The first `n / 2 + 1` elements of [`FftOp::Forward`] of real numbers: the others are their conjugates.
    /// The result has one more dimension, of size 2.
    Real,
    /// [`FftOp::Backward`] of the `n / 2 + 1` elements that [`FftOp::Real`] gives, and of the conjugates that
    /// it leaves out: `n` real numbers, in one dimension less. The imaginary part of element 0, and for an
    /// even `n` that of the last one, would make the result complex and is not read.
    Half { n: usize },
}

impl FftOp {
    /// Returns the name in NumPy and PyTorch.
    pub fn name(self) -> &'static str {
        match self {
            FftOp::Forward => "fft",
            FftOp::Backward => "ifft",
            FftOp::Real => "rfft",
            FftOp::Half { .. } => "irfft",
        }
    }
}
