//! The functions behind neural network modules, with sizes as people write them.

use crate::TensorError;
use crate::check::ensure;
use crate::index::within;
use crate::{Int, Tensor};
use burn_backend::{Backend, ConvOptions, Dims, PoolOptions};
use burn_derive::fallible;

/// `x weight + bias`: `x: [.., d_in]`, `weight: [d_in, d_out]`, `bias: [d_out]`. PyTorch:
/// `torch.nn.functional.linear`, with the weight transposed.
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

/// Rows of `weights` by `indices`: `[vocabulary, dim]` and `[batch, length]` give `[batch, length, dim]`.
/// PyTorch: `torch.nn.functional.embedding`.
///
/// # Panics
/// When an index is not below `vocabulary`, where the backend computes at once; see [`Tensor::gather`].
#[track_caller]
#[must_use]
pub fn embedding<B: Backend>(weights: Tensor<B, 2>, indices: Tensor<B, 2, Int>) -> Tensor<B, 3> {
    let ([batch, length], [_, dim]) = (indices.dims(), weights.dims());
    weights.select(0, indices.flatten::<1>(0, 1)).reshape([batch, length, dim])
}

/// [`embedding`], and what is wrong as a value; reads the indices.
///
/// # Errors
/// When an index is not below `vocabulary`.
#[track_caller]
pub fn try_embedding<B: Backend>(
    weights: Tensor<B, 2>,
    indices: Tensor<B, 2, Int>,
) -> Result<Tensor<B, 3>, TensorError> {
    within("embedding", 0, &weights, &indices)?;
    Ok(embedding(weights, indices))
}

/// One-dimensional convolution: `[batch, channels, length]`. See [`Tensor::conv`].
/// PyTorch: `torch.nn.functional.conv1d`.
#[fallible]
pub fn try_conv1d<B: Backend>(
    x: Tensor<B, 3>,
    weight: Tensor<B, 3>,
    bias: Option<Tensor<B, 1>>,
    options: ConvOptions,
) -> Result<Tensor<B, 3>, TensorError> {
    x.try_conv(weight, bias, options)
}

/// Two-dimensional convolution: `[batch, channels, height, width]`. See [`Tensor::conv`].
/// PyTorch: `torch.nn.functional.conv2d`.
#[fallible]
pub fn try_conv2d<B: Backend>(
    x: Tensor<B, 4>,
    weight: Tensor<B, 4>,
    bias: Option<Tensor<B, 1>>,
    options: ConvOptions,
) -> Result<Tensor<B, 4>, TensorError> {
    x.try_conv(weight, bias, options)
}

fn windows<const N: usize>(
    kernel: [usize; N],
    stride: [usize; N],
    padding: [usize; N],
    dilation: [usize; N],
) -> PoolOptions {
    let [kernel, stride, padding, dilation] = [kernel, stride, padding, dilation].map(Dims::from);
    PoolOptions { kernel, stride, padding, dilation }
}

/// Largest element of each window. See [`Tensor::max_pool`]. PyTorch: `torch.nn.functional.max_pool1d`.
#[fallible]
pub fn try_max_pool1d<B: Backend>(
    x: Tensor<B, 3>,
    kernel: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
) -> Result<Tensor<B, 3>, TensorError> {
    x.try_max_pool(windows([kernel], [stride], [padding], [dilation]))
}

/// Largest element of each window. See [`Tensor::max_pool`]. PyTorch: `torch.nn.functional.max_pool2d`.
#[fallible]
pub fn try_max_pool2d<B: Backend>(
    x: Tensor<B, 4>,
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: [usize; 2],
    dilation: [usize; 2],
) -> Result<Tensor<B, 4>, TensorError> {
    x.try_max_pool(windows(kernel, stride, padding, dilation))
}

/// Mean of each window. See [`Tensor::avg_pool`]. PyTorch: `torch.nn.functional.avg_pool1d`.
#[fallible]
pub fn try_avg_pool1d<B: Backend>(
    x: Tensor<B, 3>,
    kernel: usize,
    stride: usize,
    padding: usize,
    count_include_pad: bool,
) -> Result<Tensor<B, 3>, TensorError> {
    x.try_avg_pool(windows([kernel], [stride], [padding], [1]), count_include_pad)
}

/// Mean of each window. See [`Tensor::avg_pool`]. PyTorch: `torch.nn.functional.avg_pool2d`.
#[fallible]
pub fn try_avg_pool2d<B: Backend>(
    x: Tensor<B, 4>,
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: [usize; 2],
    count_include_pad: bool,
) -> Result<Tensor<B, 4>, TensorError> {
    x.try_avg_pool(windows(kernel, stride, padding, [1, 1]), count_include_pad)
}

/// Means over windows that cover the length in `size` steps. PyTorch: `torch.nn.functional.adaptive_avg_pool1d`.
#[fallible]
pub fn try_adaptive_avg_pool1d<B: Backend>(
    x: Tensor<B, 3>,
    size: usize,
) -> Result<Tensor<B, 3>, TensorError> {
    x.try_adaptive_avg_pool([size])
}

/// Means over windows that cover height and width in `size` steps.
/// PyTorch: `torch.nn.functional.adaptive_avg_pool2d`.
#[fallible]
pub fn try_adaptive_avg_pool2d<B: Backend>(
    x: Tensor<B, 4>,
    size: [usize; 2],
) -> Result<Tensor<B, 4>, TensorError> {
    x.try_adaptive_avg_pool(size)
}
