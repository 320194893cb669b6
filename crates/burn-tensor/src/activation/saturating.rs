//! Functions that level off on both sides.

use crate::unary::unary_functions;
use crate::{Tensor, TensorError};
use burn_backend::{Backend, UnaryOp};
use burn_derive::fallible;

unary_functions! {
    /// Applies the logistic sigmoid: `1 / (1 + e^-x)`. PyTorch: `torch.sigmoid`.
    sigmoid, try_sigmoid => Sigmoid;
}

unary_functions! {
    /// Computes `log(sigmoid(x))`, stable for large `|x|`. PyTorch: `torch.nn.functional.logsigmoid`.
    log_sigmoid, try_log_sigmoid => LogSigmoid;
}

/// Applies the hard sigmoid: `clamp(alpha * x + beta, 0, 1)`. PyTorch has `alpha = 1/6` and `beta = 1/2`.
/// PyTorch: `torch.nn.functional.hardsigmoid`.
#[fallible]
pub fn try_hard_sigmoid<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    alpha: f64,
    beta: f64,
) -> Result<Tensor<B, D>, TensorError> {
    Ok((tensor * alpha + beta).clamp(0.0, 1.0))
}

unary_functions! {
    /// Applies the hyperbolic tangent: `(e^x - e^-x) / (e^x + e^-x)`. PyTorch: `torch.tanh`.
    tanh, try_tanh => Tanh;
}

/// Limits elements to `[min, max]`. PyTorch: `torch.nn.functional.hardtanh`.
///
/// The gradient passes strictly between the limits; that of [`Tensor::clamp`] passes at the limits too.
#[fallible]
pub fn try_hardtanh<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    min: f64,
    max: f64,
) -> Result<Tensor<B, D>, TensorError> {
    let (below, above) = (tensor.clone().lower_equal_elem(min), tensor.clone().greater_equal_elem(max));
    Ok(tensor.mask_fill(below, min).mask_fill(above, max))
}

/// Applies `x / (1 + |x|)` (Turian et al., 2009). PyTorch: `torch.nn.functional.softsign`.
#[fallible]
pub fn try_softsign<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
    let size = tensor.clone().abs() + 1.0;
    Ok(tensor / size)
}
