//! Units with an exponential branch.

use super::{log_sigmoid, relu};
use crate::{Tensor, TensorError};
use burn_backend::Backend;
use burn_derive::fallible;

/// Applies the exponential linear unit: `x` where positive, `alpha * (e^x - 1)` elsewhere (Clevert et al.,
/// 2015). PyTorch: `torch.nn.functional.elu`.
#[fallible]
pub fn try_elu<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    alpha: f64,
) -> Result<Tensor<B, D>, TensorError> {
    // The exponential sees no positive element, which it could overflow on.
    Ok(relu(tensor.clone()) + tensor.clamp_max(0.0).expm1() * alpha)
}

/// Applies the scaled exponential linear unit: `scale * elu(x, alpha)` with `scale = 1.0507..` and
/// `alpha = 1.6732..`, under which mean 0 and variance 1 are a fixed point (Klambauer et al., 2017). PyTorch:
/// `torch.nn.functional.selu`.
#[fallible]
pub fn try_selu<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
    const ALPHA: f64 = 1.673_263_242_354_377_2;
    const SCALE: f64 = 1.050_700_987_355_480_5;
    Ok(relu(tensor.clone()) * SCALE + tensor.clamp_max(0.0).expm1() * (SCALE * ALPHA))
}

/// Applies the continuously differentiable exponential linear unit: `x` where positive,
/// `alpha * (e^(x / alpha) - 1)` elsewhere (Barron, 2017). PyTorch: `torch.nn.functional.celu`.
#[fallible]
pub fn try_celu<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    alpha: f64,
) -> Result<Tensor<B, D>, TensorError> {
    Ok(relu(tensor.clone()) + (tensor.clamp_max(0.0) / alpha).expm1() * alpha)
}

/// Computes `log(1 + e^(beta * x)) / beta`, stable for large `|x|`. PyTorch: `torch.nn.functional.softplus`.
#[fallible]
pub fn try_softplus<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    beta: f64,
) -> Result<Tensor<B, D>, TensorError> {
    Ok(-log_sigmoid(tensor * -beta) / beta)
}
