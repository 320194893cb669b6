//! Activation functions.

use crate::check::{check, ensure};
use crate::{AsDim, Tensor, TensorError};
use burn_backend::{Backend, Operation, UnaryOp};
use burn_derive::fallible;

macro_rules! functions {
    ($($name:ident => $variant:ident, $doc:literal, $torch:literal;)*) => {$(
        #[doc = concat!($doc, " PyTorch: `", $torch, "`.")]
        #[must_use]
        pub fn $name<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Tensor<B, D> {
            tensor.unary(UnaryOp::$variant)
        }
    )*};
}

functions! {
    relu => Relu, "`max(x, 0)`.", "torch.nn.functional.relu";
    sigmoid => Sigmoid, "`1 / (1 + e^-x)`.", "torch.sigmoid";
    log_sigmoid => LogSigmoid, "`log(sigmoid(x))`, stable for large `|x|`.", "torch.nn.functional.logsigmoid";
    gelu => Gelu, "`x * (1 + erf(x / sqrt(2))) / 2` (Hendrycks and Gimpel, 2016).", "torch.nn.functional.gelu";
    silu => Silu, "`x * sigmoid(x)`.", "torch.nn.functional.silu";
    tanh => Tanh, "Hyperbolic tangent.", "torch.tanh";
}

/// `clamp(alpha * x + beta, 0, 1)`. PyTorch's `hardsigmoid` has `alpha = 1/6`, `beta = 1/2`.
/// PyTorch: `torch.nn.functional.hardsigmoid`.
#[must_use]
pub fn hard_sigmoid<B: Backend, const D: usize>(tensor: Tensor<B, D>, alpha: f64, beta: f64) -> Tensor<B, D> {
    (tensor * alpha + beta).clamp(0.0, 1.0)
}

/// `x` where positive, `negative_slope * x` elsewhere. PyTorch: `torch.nn.functional.leaky_relu`.
#[must_use]
pub fn leaky_relu<B: Backend, const D: usize>(tensor: Tensor<B, D>, negative_slope: f64) -> Tensor<B, D> {
    let negative = tensor.clone().lower_elem(0);
    let scaled = tensor.clone() * negative_slope;
    tensor.mask_where(negative, scaled)
}

/// [`leaky_relu`] with a learned slope, one for all or one for each channel (dimension 1).
/// PyTorch: `torch.nn.functional.prelu`.
///
/// # Errors
/// When there is another number of slopes, or they have another dtype.
#[fallible]
pub fn try_prelu<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    alpha: Tensor<B, 1>,
) -> Result<Tensor<B, D>, TensorError> {
    let [count] = alpha.dims();
    let mut dims = [1; D];
    if count != 1 {
        let fits = D >= 2 && tensor.dims()[1] == count;
        ensure!(fits, "prelu", "{count} slopes for the channels (dimension 1) of {:?}", tensor.shape());
        dims[1] = count;
    }
    let negative = tensor.clone().lower_elem(0);
    let scaled = tensor.clone().try_mul(alpha.try_reshape(dims)?)?;
    tensor.try_mask_where(negative, scaled)
}

/// `log(1 + e^(beta x)) / beta`, stable for large `|x|`. PyTorch: `torch.nn.functional.softplus`.
#[must_use]
pub fn softplus<B: Backend, const D: usize>(tensor: Tensor<B, D>, beta: f64) -> Tensor<B, D> {
    -log_sigmoid(tensor * -beta) / beta
}

/// `x * tanh(softplus(x))` (Misra, 2019). PyTorch: `torch.nn.functional.mish`.
#[must_use]
pub fn mish<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Tensor<B, D> {
    tensor.clone() * softplus(tensor, 1.0).tanh()
}

/// `e^x / sum(e^x)` along `dim`. PyTorch: `torch.softmax`.
///
/// # Errors
/// When `dim` does not exist.
#[fallible]
pub fn try_softmax<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    let dim = dim.resolve("softmax", &tensor.spec().shape)?;
    check(&Operation::Softmax { x: tensor.spec(), dim })?;
    Ok(Tensor::from_handle(B::softmax(tensor.into_handle(), dim)))
}

/// [`softmax`] of `-x`. PyTorch: `torch.nn.functional.softmin`.
#[fallible]
pub fn try_softmin<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    try_softmax(-tensor, dim)
}

/// `x - log(sum(e^x))` along `dim`, stable. PyTorch: `torch.log_softmax`.
#[fallible]
pub fn try_log_softmax<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    let dim = dim.resolve("log_softmax", &tensor.spec().shape)?;
    check(&Operation::LogSoftmax { x: tensor.spec(), dim })?;
    Ok(Tensor::from_handle(B::log_softmax(tensor.into_handle(), dim)))
}

/// `e^x / (1 + sum(e^x))` along `dim`: a softmax that can choose nothing (Miller, "Attention is off by one",
/// 2023). PyTorch has no counterpart.
#[fallible]
pub fn try_quiet_softmax<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    let dim = dim.resolve("quiet_softmax", &tensor.spec().shape)?;
    // The 1 is an element 0 that is always there, so the shift may not be below it.
    let shift = tensor.clone().detach().try_max_dim(dim)?.clamp_min(0.0);
    let exp = (tensor - shift.clone()).exp();
    Ok(exp.clone() / (exp.sum_dim(dim) + (-shift).exp()))
}
