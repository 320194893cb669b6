//! Softmax and its relatives.

use crate::check::check;
use crate::{AsDim, Tensor, TensorError};
use burn_backend::{Backend, Normalization, Operation};
use burn_derive::fallible;

/// Computes `e^x / sum(e^x)` along `dim`. PyTorch: `torch.softmax`.
///
/// # Errors
/// When `dim` does not exist.
#[fallible]
pub fn try_softmax<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    let dim = dim.resolve("softmax", &tensor.spec().shape)?;
    check(&Operation::Normalization(Normalization::Softmax { x: tensor.spec(), dim }))?;
    Ok(Tensor::from_handle(B::softmax(tensor.into_handle(), dim)))
}

/// Computes the [`softmax`] of `-x` along `dim`. PyTorch: `torch.nn.functional.softmin`.
#[fallible]
pub fn try_softmin<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    try_softmax(-tensor, dim)
}

/// Computes `x - log(sum(e^x))` along `dim`, stable for large `|x|`. PyTorch: `torch.log_softmax`.
#[fallible]
pub fn try_log_softmax<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    let dim = dim.resolve("log_softmax", &tensor.spec().shape)?;
    check(&Operation::Normalization(Normalization::LogSoftmax { x: tensor.spec(), dim }))?;
    Ok(Tensor::from_handle(B::log_softmax(tensor.into_handle(), dim)))
}

/// Computes `e^x / (1 + sum(e^x))` along `dim`: a softmax whose outputs may all be near 0 (Miller, "Attention
/// is off by one", 2023). PyTorch has no counterpart.
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
