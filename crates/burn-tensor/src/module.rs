//! The functions behind neural network modules, with sizes as people write them.

use crate::{Int, Tensor};
use burn_backend::{Backend, ConvOptions, Dims, PoolOptions};

/// `x weight + bias`: `x: [.., d_in]`, `weight: [d_in, d_out]`, `bias: [d_out]`. PyTorch:
/// `torch.nn.functional.linear`, with the weight transposed.
#[track_caller]
#[must_use]
pub fn linear<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    weight: Tensor<B, 2>,
    bias: Option<Tensor<B, 1>>,
) -> Tensor<B, D> {
    let dims = x.dims();
    let Some(&inner) = dims.last() else { panic!("linear: needs at least rank 1") };
    let rows: usize = dims[..D - 1].iter().product();
    let columns = weight.dims()[1];
    let y = x.reshape([rows, inner]).matmul(weight);
    let y = match bias {
        Some(bias) => y + bias.unsqueeze::<2>(),
        None => y,
    };
    let mut dims = dims;
    dims[D - 1] = columns;
    y.reshape(dims)
}

/// Rows of `weights` by `indices`: `[vocabulary, dim]` and `[batch, length]` give `[batch, length, dim]`.
/// PyTorch: `torch.nn.functional.embedding`.
#[track_caller]
#[must_use]
pub fn embedding<B: Backend>(weights: Tensor<B, 2>, indices: Tensor<B, 2, Int>) -> Tensor<B, 3> {
    let ([batch, length], [_, dim]) = (indices.dims(), weights.dims());
    weights.select(0, indices.flatten::<1>(0, 1)).reshape([batch, length, dim])
}

/// One-dimensional convolution: `[batch, channels, length]`. See [`Tensor::conv`].
#[track_caller]
#[must_use]
pub fn conv1d<B: Backend>(
    x: Tensor<B, 3>,
    weight: Tensor<B, 3>,
    bias: Option<Tensor<B, 1>>,
    options: ConvOptions,
) -> Tensor<B, 3> {
    x.conv(weight, bias, options)
}

/// Two-dimensional convolution: `[batch, channels, height, width]`. See [`Tensor::conv`].
#[track_caller]
#[must_use]
pub fn conv2d<B: Backend>(
    x: Tensor<B, 4>,
    weight: Tensor<B, 4>,
    bias: Option<Tensor<B, 1>>,
    options: ConvOptions,
) -> Tensor<B, 4> {
    x.conv(weight, bias, options)
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

/// Largest element of each window. See [`Tensor::max_pool`].
#[track_caller]
#[must_use]
pub fn max_pool1d<B: Backend>(
    x: Tensor<B, 3>,
    kernel: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
) -> Tensor<B, 3> {
    x.max_pool(windows([kernel], [stride], [padding], [dilation]))
}

/// Largest element of each window. See [`Tensor::max_pool`].
#[track_caller]
#[must_use]
pub fn max_pool2d<B: Backend>(
    x: Tensor<B, 4>,
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: [usize; 2],
    dilation: [usize; 2],
) -> Tensor<B, 4> {
    x.max_pool(windows(kernel, stride, padding, dilation))
}

/// Mean of each window. See [`Tensor::avg_pool`].
#[track_caller]
#[must_use]
pub fn avg_pool1d<B: Backend>(
    x: Tensor<B, 3>,
    kernel: usize,
    stride: usize,
    padding: usize,
    count_include_pad: bool,
) -> Tensor<B, 3> {
    x.avg_pool(windows([kernel], [stride], [padding], [1]), count_include_pad)
}

/// Mean of each window. See [`Tensor::avg_pool`].
#[track_caller]
#[must_use]
pub fn avg_pool2d<B: Backend>(
    x: Tensor<B, 4>,
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: [usize; 2],
    count_include_pad: bool,
) -> Tensor<B, 4> {
    x.avg_pool(windows(kernel, stride, padding, [1, 1]), count_include_pad)
}

/// Means over windows that cover the length in `size` steps.
#[track_caller]
#[must_use]
pub fn adaptive_avg_pool1d<B: Backend>(x: Tensor<B, 3>, size: usize) -> Tensor<B, 3> {
    x.adaptive_avg_pool([size])
}

/// Means over windows that cover height and width in `size` steps.
#[track_caller]
#[must_use]
pub fn adaptive_avg_pool2d<B: Backend>(x: Tensor<B, 4>, size: [usize; 2]) -> Tensor<B, 4> {
    x.adaptive_avg_pool(size)
}
