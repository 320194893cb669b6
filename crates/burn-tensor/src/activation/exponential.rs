//! Units with an exponential branch.

use super::{log_sigmoid, relu};
use crate::Tensor;
use burn_backend::Backend;

/// Applies the exponential linear unit: `x` where positive, `alpha * (e^x - 1)` elsewhere (Clevert et al.,
/// 2015). PyTorch: `torch.nn.functional.elu`.
#[must_use]
pub fn elu<B: Backend, const D: usize>(tensor: Tensor<B, D>, alpha: f64) -> Tensor<B, D> {
    // The exponential sees no positive element, which it could overflow on.
    relu(tensor.clone()) + tensor.clamp_max(0.0).expm1() * alpha
}

/// Applies the scaled exponential linear unit: `scale * elu(x, alpha)` with `scale = 1.0507..` and
/// `alpha = 1.6732..`, under which mean 0 and variance 1 are a fixed point (Klambauer et al., 2017). PyTorch:
/// `torch.nn.functional.selu`.
#[must_use]
pub fn selu<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Tensor<B, D> {
    const ALPHA: f64 = 1.673_263_242_354_377_2;
    const SCALE: f64 = 1.050_700_987_355_480_5;
    relu(tensor.clone()) * SCALE + tensor.clamp_max(0.0).expm1() * (SCALE * ALPHA)
}

/// Applies the continuously differentiable exponential linear unit: `x` where positive,
/// `alpha * (e^(x / alpha) - 1)` elsewhere (Barron, 2017). PyTorch: `torch.nn.functional.celu`.
#[must_use]
pub fn celu<B: Backend, const D: usize>(tensor: Tensor<B, D>, alpha: f64) -> Tensor<B, D> {
    relu(tensor.clone()) + (tensor.clamp_max(0.0) / alpha).expm1() * alpha
}

/// Computes `log(1 + e^(beta * x)) / beta`, stable for large `|x|`. PyTorch: `torch.nn.functional.softplus`.
#[must_use]
pub fn softplus<B: Backend, const D: usize>(tensor: Tensor<B, D>, beta: f64) -> Tensor<B, D> {
    -log_sigmoid(tensor * -beta) / beta
}
