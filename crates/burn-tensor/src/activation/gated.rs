//! The input, or a half of it, times a gate.

use super::{relu6, sigmoid, softplus};
use crate::check::ensure;
use crate::unary::unary_functions;
use crate::{AsDim, Tensor, TensorError};
use burn_backend::{Backend, UnaryOp};
use burn_derive::fallible;

unary_functions! {
    /// Applies the Gaussian error linear unit: `x * (1 + erf(x / sqrt(2))) / 2` (Hendrycks and Gimpel, 2016).
    /// PyTorch: `torch.nn.functional.gelu`.
    gelu, try_gelu => Gelu;

    /// Applies the approximation of [`gelu`] by a hyperbolic tangent:
    /// `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`.
    /// PyTorch: `torch.nn.functional.gelu(approximate='tanh')`.
    #[doc(alias = "gelu")]
    gelu_tanh, try_gelu_tanh => GeluTanh;

    /// Applies the sigmoid linear unit, or swish: `x * sigmoid(x)`. PyTorch: `torch.nn.functional.silu`.
    silu, try_silu => Silu;
}

/// Applies the hard swish: `x * relu6(x + 3) / 6` (Howard et al., 2019). PyTorch:
/// `torch.nn.functional.hardswish`.
#[fallible]
pub fn try_hard_swish<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
    let gate = relu6(tensor.clone() + 3.0) / 6.0;
    Ok(tensor * gate)
}

/// Applies `x * tanh(softplus(x))` (Misra, 2019). PyTorch: `torch.nn.functional.mish`.
#[fallible]
pub fn try_mish<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
    Ok(tensor.clone() * softplus(tensor, 1.0).tanh())
}

/// Applies the gated linear unit: `a * sigmoid(b)`, where `a` and `b` are the halves of the input along `dim`
/// (Dauphin et al., 2016). The size of `dim` is halved. PyTorch: `torch.nn.functional.glu`.
///
/// # Errors
/// When `dim` does not exist or its size is odd.
#[fallible]
pub fn try_glu<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    let shape = tensor.shape();
    let dim = dim.resolve("glu", &shape)?;
    let size = shape[dim];
    ensure!(
        size.is_multiple_of(2),
        "glu",
        "dimension {dim} of {shape:?} has the odd size {size}, which has no halves"
    );
    let value = tensor.clone().try_narrow(dim, 0, size / 2)?;
    value.try_mul(sigmoid(tensor.try_narrow(dim, size / 2, size / 2)?))
}
