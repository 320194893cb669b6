use super::norm::{Norm, try_norm};
use crate::check::{check, ensure, together};
use crate::{AsDim, Numeric, Tensor, TensorError};
use burn_backend::{Backend, HasSpec, Linalg, Operation, Shape};
use burn_derive::fallible;

/// Computes the outer product: all products `x_i y_j`: `[.., m]` and `[.., n]` give `[.., m, n]`, where `E`
/// is `D + 1`; the dimensions before broadcast. PyTorch: `torch.outer`.
///
/// # Errors
/// When the rank is 0, `E` is not `D + 1`, or the batches do not broadcast.
#[fallible]
pub fn try_outer<B: Backend, const D: usize, const E: usize, K: Numeric>(
    x: Tensor<B, D, K>,
    y: Tensor<B, D, K>,
) -> Result<Tensor<B, E, K>, TensorError> {
    ensure!(
        D > 0 && E == D + 1,
        "outer",
        "of {:?} and {:?} the result has rank {}, not {E}",
        x.dims(),
        y.dims(),
        D + 1
    );
    let column: Shape = x.dims().into_iter().chain([1]).collect();
    let [batch @ .., last] = &y.dims()[..] else { unreachable!("the rank is not 0") };
    let row: Shape = batch.iter().copied().chain([1, *last]).collect();
    let (x, y) = (x.reshaped::<E>(column)?, y.reshaped::<E>(row)?);
    x.try_mul(y)
}

/// Computes all products of the elements of two tensors along `dim`: size `m` in `x` and `n` in `y` become
/// `m, n`, where `E` is `D + 1`; the other dimensions broadcast. PyTorch: `x.unsqueeze(dim + 1) *
/// y.unsqueeze(dim)`.
///
/// ```text
/// [.., m, ..], [.., n, ..] -> [.., m, n, ..]    result[.., i, j, ..] = x[.., i, ..] y[.., j, ..]
/// ```
///
/// # Errors
/// When `dim` does not exist, `E` is not `D + 1`, or the other dimensions do not broadcast.
#[fallible]
pub fn try_outer_dim<B: Backend, const D: usize, const E: usize, K: Numeric>(
    x: Tensor<B, D, K>,
    y: Tensor<B, D, K>,
    dim: impl AsDim,
) -> Result<Tensor<B, E, K>, TensorError> {
    ensure!(
        E == D + 1,
        "outer_dim",
        "of {:?} and {:?} the result has rank {}, not {E}",
        x.dims(),
        y.dims(),
        D + 1
    );
    let dim = dim.resolve("outer_dim", &x.shape())?;
    x.try_unsqueeze_dim::<E>(dim + 1)?.try_mul(y.try_unsqueeze_dim(dim)?)
}

/// Computes the products of matrices and vectors: `[.., m, n]` and `[.., n]` give `[.., m]`, where `E` is `D
/// - 1`; the dimensions before broadcast. PyTorch: `torch.mv`.
///
/// # Errors
/// When the rank of the matrices is below 2, `E` is not `D - 1`, or the shapes do not fit.
#[fallible]
pub fn try_matvec<B: Backend, const D: usize, const E: usize, K: Numeric>(
    matrix: Tensor<B, D, K>,
    vector: Tensor<B, E, K>,
) -> Result<Tensor<B, E, K>, TensorError> {
    ensure!(
        D >= 2 && E + 1 == D,
        "matvec",
        "matrices of rank {D} multiply vectors of rank {}, not {E}",
        D.saturating_sub(1)
    );
    let columns: Shape = vector.dims().into_iter().chain([1]).collect();
    let (matrix, columns) = (matrix.into_handle(), B::reshape(vector.into_handle(), columns));
    check(&Operation::Linalg(Linalg::Matmul { lhs: matrix.spec(), rhs: columns.spec() }))?;
    together::<B>("matvec", &matrix, &[&columns])?;
    let product = B::matmul(matrix, columns);
    let shape = product.shape()[..E].into();
    Ok(Tensor::from_handle(B::reshape(product, shape)))
}

/// Computes the cosine similarity `x y / (max(|x|, eps) max(|y|, eps))` along `dim`, which stays with size 1;
/// shapes broadcast. `eps` is 1e-8 unless given. Half-precision numbers are multiplied and summed in `f32`.
/// PyTorch: `torch.nn.functional.cosine_similarity`.
///
/// # Errors
/// When `dim` does not exist or the shapes do not broadcast.
#[fallible]
pub fn try_cosine_similarity<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    y: Tensor<B, D>,
    dim: impl AsDim,
    eps: Option<f64>,
) -> Result<Tensor<B, D>, TensorError> {
    dim.resolve("cosine_similarity", &x.shape())?;
    let (eps, dtype) = (eps.unwrap_or(1e-8), x.dtype().promote(y.dtype()));
    let (x, y) = (x.widened(), y.widened());
    let product = x.clone().try_mul(y.clone())?.try_sum_dim(dim)?;
    let x = try_norm(x, Norm::L2, dim)?.try_clamp_min(eps)?;
    let y = try_norm(y, Norm::L2, dim)?.try_clamp_min(eps)?;
    Ok(product.try_div(x.try_mul(y)?)?.rounded(dtype))
}

/// Normalizes vectors: `x / max(|x|, eps)` along `dim`, of length 1 in the norm. PyTorch:
/// `torch.nn.functional.normalize`.
///
/// # Errors
/// When `dim` does not exist, or has size 0 and the norm is that of an extreme element.
#[fallible]
pub fn try_vector_normalize<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    norm: impl Into<Norm>,
    dim: impl AsDim,
    eps: f64,
) -> Result<Tensor<B, D>, TensorError> {
    let dtype = x.dtype();
    let x = x.widened();
    let length = try_norm(x.clone(), norm, dim)?.try_clamp_min(eps)?;
    Ok(x.try_div(length)?.rounded(dtype))
}
