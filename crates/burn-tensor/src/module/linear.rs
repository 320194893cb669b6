use crate::TensorError;
use crate::check::ensure;
use crate::in_operation::{in_operation, try_in_operation};
use crate::index::within;
use crate::{Int, Tensor};
use burn_backend::Backend;
use burn_derive::fallible;

/// Computes `x weight + bias`: `x: [.., d_in]`, `weight: [d_in, d_out]` and `bias: [d_out]` give
/// `[.., d_out]`. PyTorch: `torch.nn.functional.linear`, with the weight transposed.
///
/// # Errors
/// When the rank of `x` is 0, its last dimension is not `d_in`, or the size of `bias` is not `d_out`.
#[fallible]
pub fn try_linear<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    weight: Tensor<B, 2>,
    bias: Option<Tensor<B, 1>>,
) -> Result<Tensor<B, D>, TensorError> {
    let dims = x.dims();
    ensure!(D >= 1, "linear", "needs at least rank 1");
    let inner = dims[D - 1];
    let rows: usize = dims[..D - 1].iter().product();
    let columns = weight.dims()[1];
    let y = x.try_reshape([rows, inner])?.try_matmul(weight)?;
    let y = match bias {
        Some(bias) => y.try_add(bias.unsqueeze::<2>())?,
        None => y,
    };
    let mut dims = dims;
    dims[D - 1] = columns;
    y.try_reshape(dims)
}

/// Looks up embedding vectors, the rows of `weights`, by index: `[vocabulary, dim]` and `[batch, length]`
/// give `[batch, length, dim]`. PyTorch: `torch.nn.functional.embedding`.
///
/// # Panics
/// When an index is not below `vocabulary`, where the backend computes at once; see [`Tensor::gather`].
#[track_caller]
#[must_use]
pub fn embedding<B: Backend>(weights: Tensor<B, 2>, indices: Tensor<B, 2, Int>) -> Tensor<B, 3> {
    in_operation("embedding", || {
        let ([batch, length], [_, dim]) = (indices.dims(), weights.dims());
        weights.select(0, indices.flatten::<1>(0, 1)).reshape([batch, length, dim])
    })
}

/// Computes [`embedding`] and returns what is wrong as a value; reads the indices.
///
/// # Errors
/// When an index is not below `vocabulary`.
#[track_caller]
pub fn try_embedding<B: Backend>(
    weights: Tensor<B, 2>,
    indices: Tensor<B, 2, Int>,
) -> Result<Tensor<B, 3>, TensorError> {
    try_in_operation("embedding", || {
        within("embedding", 0, &weights, &indices)?;
        Ok(embedding(weights, indices))
    })
}
