//! Functions that level off on both sides.

use crate::Tensor;
use burn_backend::{Backend, UnaryOp};

/// Applies the logistic sigmoid: `1 / (1 + e^-x)`. PyTorch: `torch.sigmoid`.
#[must_use]
pub fn sigmoid<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Tensor<B, D> {
    tensor.unary(UnaryOp::Sigmoid)
}

/// Computes `log(sigmoid(x))`, stable for large `|x|`. PyTorch: `torch.nn.functional.logsigmoid`.
#[must_use]
pub fn log_sigmoid<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Tensor<B, D> {
    tensor.unary(UnaryOp::LogSigmoid)
}

/// Applies the hard sigmoid: `clamp(alpha * x + beta, 0, 1)`. PyTorch has `alpha = 1/6` and `beta = 1/2`.
/// PyTorch: `torch.nn.functional.hardsigmoid`.
#[must_use]
pub fn hard_sigmoid<B: Backend, const D: usize>(tensor: Tensor<B, D>, alpha: f64, beta: f64) -> Tensor<B, D> {
    (tensor * alpha + beta).clamp(0.0, 1.0)
}

/// Applies the hyperbolic tangent: `(e^x - e^-x) / (e^x + e^-x)`. PyTorch: `torch.tanh`.
#[must_use]
pub fn tanh<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Tensor<B, D> {
    tensor.unary(UnaryOp::Tanh)
}

/// Limits elements to `[min, max]`. PyTorch: `torch.nn.functional.hardtanh`.
///
/// The gradient passes strictly between the limits; that of [`Tensor::clamp`] passes at the limits too.
#[must_use]
pub fn hardtanh<B: Backend, const D: usize>(tensor: Tensor<B, D>, min: f64, max: f64) -> Tensor<B, D> {
    let (below, above) = (tensor.clone().lower_equal_elem(min), tensor.clone().greater_equal_elem(max));
    tensor.mask_fill(below, min).mask_fill(above, max)
}

/// Applies `x / (1 + |x|)` (Turian et al., 2009). PyTorch: `torch.nn.functional.softsign`.
#[must_use]
pub fn softsign<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Tensor<B, D> {
    let size = tensor.clone().abs() + 1.0;
    tensor / size
}
