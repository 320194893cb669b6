use crate::{Int, Tensor, TensorError};
use burn_backend::{Backend, Dims, PoolOptions};
use burn_derive::fallible;

fn windows<const N: usize>(
    kernel: [usize; N],
    stride: [usize; N],
    padding: [usize; N],
    dilation: [usize; N],
) -> PoolOptions {
    let [kernel, stride, padding, dilation] = [kernel, stride, padding, dilation].map(Dims::from);
    PoolOptions { kernel, stride, padding, dilation }
}

/// Computes the maximum of each window of `[batch, channels, length]`. See [`Tensor::max_pool`]. PyTorch:
/// `torch.nn.functional.max_pool1d`.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
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

/// Computes [`max_pool1d`], and the index of each maximum in the length of the input.
/// See [`Tensor::max_pool_with_indices`]. PyTorch: `torch.nn.functional.max_pool1d(return_indices=True)`.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_max_pool1d_with_indices<B: Backend>(
    x: Tensor<B, 3>,
    kernel: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
) -> Result<(Tensor<B, 3>, Tensor<B, 3, Int>), TensorError> {
    x.try_max_pool_with_indices(windows([kernel], [stride], [padding], [dilation]))
}

/// Computes the mean of each window of `[batch, channels, length]`. See [`Tensor::avg_pool`]. PyTorch:
/// `torch.nn.functional.avg_pool1d`.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_avg_pool1d<B: Backend>(
    x: Tensor<B, 3>,
    kernel: usize,
    stride: usize,
    padding: usize,
    count_include_pad: bool,
) -> Result<Tensor<B, 3>, TensorError> {
    x.try_avg_pool(windows([kernel], [stride], [padding], [1; 1]), count_include_pad)
}

/// Computes the maximum of each window of `[batch, channels, height, width]`. See [`Tensor::max_pool`].
/// PyTorch: `torch.nn.functional.max_pool2d`.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
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

/// Computes [`max_pool2d`], and the index of each maximum in the flattened height and width of the input.
/// See [`Tensor::max_pool_with_indices`]. PyTorch: `torch.nn.functional.max_pool2d(return_indices=True)`.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_max_pool2d_with_indices<B: Backend>(
    x: Tensor<B, 4>,
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: [usize; 2],
    dilation: [usize; 2],
) -> Result<(Tensor<B, 4>, Tensor<B, 4, Int>), TensorError> {
    x.try_max_pool_with_indices(windows(kernel, stride, padding, dilation))
}

/// Computes the mean of each window of `[batch, channels, height, width]`. See [`Tensor::avg_pool`]. PyTorch:
/// `torch.nn.functional.avg_pool2d`.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_avg_pool2d<B: Backend>(
    x: Tensor<B, 4>,
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: [usize; 2],
    count_include_pad: bool,
) -> Result<Tensor<B, 4>, TensorError> {
    x.try_avg_pool(windows(kernel, stride, padding, [1; 2]), count_include_pad)
}

/// Computes the maximum of each window of `[batch, channels, depth, height, width]`. See
/// [`Tensor::max_pool`]. PyTorch: `torch.nn.functional.max_pool3d`.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_max_pool3d<B: Backend>(
    x: Tensor<B, 5>,
    kernel: [usize; 3],
    stride: [usize; 3],
    padding: [usize; 3],
    dilation: [usize; 3],
) -> Result<Tensor<B, 5>, TensorError> {
    x.try_max_pool(windows(kernel, stride, padding, dilation))
}

/// Computes [`max_pool3d`], and the index of each maximum in the flattened depth, height and width of the
/// input. See [`Tensor::max_pool_with_indices`]. PyTorch:
/// `torch.nn.functional.max_pool3d(return_indices=True)`.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_max_pool3d_with_indices<B: Backend>(
    x: Tensor<B, 5>,
    kernel: [usize; 3],
    stride: [usize; 3],
    padding: [usize; 3],
    dilation: [usize; 3],
) -> Result<(Tensor<B, 5>, Tensor<B, 5, Int>), TensorError> {
    x.try_max_pool_with_indices(windows(kernel, stride, padding, dilation))
}

/// Computes the mean of each window of `[batch, channels, depth, height, width]`. See [`Tensor::avg_pool`].
/// PyTorch: `torch.nn.functional.avg_pool3d`.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_avg_pool3d<B: Backend>(
    x: Tensor<B, 5>,
    kernel: [usize; 3],
    stride: [usize; 3],
    padding: [usize; 3],
    count_include_pad: bool,
) -> Result<Tensor<B, 5>, TensorError> {
    x.try_avg_pool(windows(kernel, stride, padding, [1; 3]), count_include_pad)
}
