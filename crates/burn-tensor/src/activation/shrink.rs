//! Functions that make small elements smaller.

use crate::{Tensor, TensorError};
use burn_backend::Backend;
use burn_derive::fallible;

/// Sets elements with `|x| <= lambda` to 0. PyTorch: `torch.nn.functional.hardshrink`.
#[fallible]
pub fn try_hard_shrink<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    lambda: f64,
) -> Result<Tensor<B, D>, TensorError> {
    let small = tensor.clone().abs().lower_equal_elem(lambda);
    Ok(tensor.mask_fill(small, 0.0))
}

/// Moves elements toward 0 by `lambda`: `x - lambda` where `x > lambda`, `x + lambda` where `x < -lambda`, 0
/// elsewhere. PyTorch: `torch.nn.functional.softshrink`.
#[fallible]
pub fn try_soft_shrink<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    lambda: f64,
) -> Result<Tensor<B, D>, TensorError> {
    Ok(tensor.clone() - tensor.clamp(-lambda, lambda))
}

/// Applies `x - tanh(x)`. PyTorch: `torch.nn.functional.tanhshrink`.
#[fallible]
pub fn try_tanh_shrink<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
) -> Result<Tensor<B, D>, TensorError> {
    Ok(tensor.clone() - tensor.tanh())
}
