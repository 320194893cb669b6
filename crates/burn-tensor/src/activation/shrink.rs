//! Functions that make small elements smaller.

use crate::Tensor;
use burn_backend::Backend;

/// Sets elements with `|x| <= lambda` to 0. PyTorch: `torch.nn.functional.hardshrink`.
#[must_use]
pub fn hard_shrink<B: Backend, const D: usize>(tensor: Tensor<B, D>, lambda: f64) -> Tensor<B, D> {
    let small = tensor.clone().abs().lower_equal_elem(lambda);
    tensor.mask_fill(small, 0.0)
}

/// Moves elements toward 0 by `lambda`: `x - lambda` where `x > lambda`, `x + lambda` where `x < -lambda`, 0
/// elsewhere. PyTorch: `torch.nn.functional.softshrink`.
#[must_use]
pub fn soft_shrink<B: Backend, const D: usize>(tensor: Tensor<B, D>, lambda: f64) -> Tensor<B, D> {
    tensor.clone() - tensor.clamp(-lambda, lambda)
}

/// Applies `x - tanh(x)`. PyTorch: `torch.nn.functional.tanhshrink`.
#[must_use]
pub fn tanh_shrink<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Tensor<B, D> {
    tensor.clone() - tensor.tanh()
}
