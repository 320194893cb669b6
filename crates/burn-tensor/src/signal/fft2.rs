use super::{try_fft, try_ifft, try_irfft, try_rfft};
use crate::check::ensure;
use crate::{Tensor, TensorError};
use burn_backend::Backend;
use burn_derive::fallible;

/// Sizes to cut the two last dimensions to, or to fill them up to with zeros.
type Sizes = Option<[usize; 2]>;

#[track_caller]
fn need_planes(operation: &'static str, rank: usize) -> Result<(), TensorError> {
    ensure!(rank >= 2, operation, "needs at least rank 2, found rank {rank}");
    Ok(())
}

fn along(sizes: Sizes, dim: usize) -> Option<usize> {
    sizes.map(|sizes| sizes[dim])
}

/// [`fft`](super::fft) along the two last dimensions. PyTorch: `torch.fft.fft2`.
///
/// # Errors
/// When the parts differ in shape or dtype, the rank is below 2, or there is nothing to transform.
#[fallible]
pub fn try_fft2<B: Backend, const D: usize>(
    re: Tensor<B, D>,
    im: Tensor<B, D>,
    sizes: Option<[usize; 2]>,
) -> Result<(Tensor<B, D>, Tensor<B, D>), TensorError> {
    need_planes("fft2", D)?;
    let (re, im) = try_fft(re, im, -1, along(sizes, 1))?;
    try_fft(re, im, -2, along(sizes, 0))
}

/// Computes the inverse of [`fft2`]. PyTorch: `torch.fft.ifft2`.
///
/// # Errors
/// When the parts differ in shape or dtype, the rank is below 2, or there is nothing to transform.
#[fallible]
pub fn try_ifft2<B: Backend, const D: usize>(
    re: Tensor<B, D>,
    im: Tensor<B, D>,
    sizes: Option<[usize; 2]>,
) -> Result<(Tensor<B, D>, Tensor<B, D>), TensorError> {
    need_planes("ifft2", D)?;
    let (re, im) = try_ifft(re, im, -1, along(sizes, 1))?;
    try_ifft(re, im, -2, along(sizes, 0))
}

/// Computes [`fft2`] of real numbers, without the redundant half of the last dimension. Shapes: `[.., height,
/// width]` to `[.., height, width / 2 + 1]`. PyTorch: `torch.fft.rfft2`.
///
/// # Errors
/// When the rank is below 2, or there is nothing to transform.
#[fallible]
pub fn try_rfft2<B: Backend, const D: usize>(
    signal: Tensor<B, D>,
    sizes: Option<[usize; 2]>,
) -> Result<(Tensor<B, D>, Tensor<B, D>), TensorError> {
    need_planes("rfft2", D)?;
    let (re, im) = try_rfft(signal, -1, along(sizes, 1))?;
    try_fft(re, im, -2, along(sizes, 0))
}

/// Computes the inverse of [`rfft2`]; `sizes` are those of the result. PyTorch: `torch.fft.irfft2`.
///
/// # Errors
/// When the parts differ in shape or dtype, the rank is below 2, or there is nothing to transform.
#[fallible]
pub fn try_irfft2<B: Backend, const D: usize>(
    re: Tensor<B, D>,
    im: Tensor<B, D>,
    sizes: Option<[usize; 2]>,
) -> Result<Tensor<B, D>, TensorError> {
    need_planes("irfft2", D)?;
    let (re, im) = try_ifft(re, im, -2, along(sizes, 0))?;
    try_irfft(re, im, -1, along(sizes, 1))
}
