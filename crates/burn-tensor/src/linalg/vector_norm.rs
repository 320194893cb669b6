//! Norms of vectors under their own names.

use super::norm::{Norm, of_dims, try_norm};
use crate::{AsDim, Numeric, Tensor, TensorError};
use burn_backend::{Backend, Dims};
use burn_derive::fallible;

/// Computes the norm of vectors along `dim`, as [`norm`](super::norm) does. PyTorch:
/// `torch.linalg.vector_norm(keepdim=True)`.
///
/// # Errors
/// When `dim` does not exist, or has size 0 and the norm is that of an extreme element.
#[fallible]
pub fn try_vector_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    norm: impl Into<Norm>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    try_norm(x, norm, dim)
}

/// Computes the Euclidean length `sqrt(sum x^2)` along `dim`, which stays with size 1. PyTorch:
/// `torch.linalg.vector_norm(ord=2, keepdim=True)`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, linalg};
/// fn unit_rows<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
///     x.clone() / linalg::l2_norm(x, 1)
/// }
/// ```
///
/// # Errors
/// When `dim` does not exist.
#[fallible]
pub fn try_l2_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    try_norm(x, Norm::L2, dim)
}

/// Computes the norm `(sum |x|^p)^(1/p)` along `dim`, which stays with size 1; 0 and infinities are the
/// limits that [`Norm`] has names for. PyTorch: `torch.linalg.vector_norm(ord=p, keepdim=True)`.
///
/// # Errors
/// When `dim` does not exist, or has size 0 and `p` is infinite.
#[fallible]
pub fn try_lp_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    p: f64,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    try_norm(x, p, dim)
}

/// The norms that integers have too.
macro_rules! numeric_norms {
    ($($method:ident => $norm:ident, $what:literal, $order:literal, $errors:literal;)*) => {$(
        #[doc = concat!($what, " along `dim`, which stays with size 1. PyTorch:")]
        #[doc = concat!("`torch.linalg.vector_norm(ord=", $order, ", keepdim=True)`.")]
        ///
        /// # Errors
        #[doc = $errors]
        #[fallible]
        pub fn $method<B: Backend, const D: usize, K: Numeric>(
            x: Tensor<B, D, K>,
            dim: impl AsDim,
        ) -> Result<Tensor<B, D, K>, TensorError> {
            let dim = dim.resolve("norm", &x.shape())?;
            of_dims(x.into_handle(), Norm::$norm, Dims::from([dim]))
        }
    )*};
}

numeric_norms! {
    try_l0_norm => L0, "Counts the elements that are not zero,", "0", "When `dim` does not exist.";
    try_l1_norm => L1, "Computes the sum of magnitudes", "1", "When `dim` does not exist.";
    try_max_abs_norm => LInf, "Returns the largest magnitude", "inf",
        "When `dim` does not exist or has size 0.";
    try_min_abs_norm => LNegInf, "Returns the smallest magnitude", "-inf",
        "When `dim` does not exist or has size 0.";
}
