use crate::check::ensure;
use crate::create::made;
use crate::{AsDim, Float, Tensor, TensorError, TensorKind, TensorOptions};
use alloc::vec;
use burn_backend::{Backend, TensorData};
use burn_derive::fallible;

/// Returns the frequencies of the elements of [`fft`](super::fft) of `n` samples that are `spacing` apart, in
/// cycles per unit of `spacing`: `0, 1, .., -2, -1` over `n spacing`. PyTorch: `torch.fft.fftfreq`.
///
/// # Errors
/// When `n` or `spacing` is 0, `spacing` is not finite, or the dtype is no float.
#[fallible]
pub fn try_fftfreq<B: Backend>(
    n: usize,
    spacing: f64,
    options: impl Into<TensorOptions<B>>,
) -> Result<Tensor<B, 1>, TensorError> {
    let negative = n / 2;
    let at = |k: usize| if k < n - negative { k as f64 } else { k as f64 - n as f64 };
    line("fftfreq", n, n, spacing, &options.into(), at)
}

/// Returns the frequencies of the elements of [`rfft`](super::rfft): `0, 1, .., n / 2` over `n spacing`.
/// PyTorch: `torch.fft.rfftfreq`.
///
/// # Errors
/// When `n` or `spacing` is 0, `spacing` is not finite, or the dtype is no float.
#[fallible]
pub fn try_rfftfreq<B: Backend>(
    n: usize,
    spacing: f64,
    options: impl Into<TensorOptions<B>>,
) -> Result<Tensor<B, 1>, TensorError> {
    line("rfftfreq", n, n / 2 + 1, spacing, &options.into(), |k| k as f64)
}

#[track_caller]
fn line<B: Backend>(
    operation: &'static str,
    n: usize,
    count: usize,
    spacing: f64,
    options: &TensorOptions<B>,
    at: impl Fn(usize) -> f64,
) -> Result<Tensor<B, 1>, TensorError> {
    ensure!(n > 0, operation, "a transform needs at least one element, found n = 0");
    ensure!(
        spacing != 0.0 && spacing.is_finite(),
        operation,
        "the spacing of samples is {spacing}, should be finite and not 0"
    );
    let dtype = options.dtype::<Float>(operation)?;
    let values = made([count], (0..count).map(|k| at(k) / (n as f64 * spacing)))?;
    Tensor::<B, 1, Float>::try_from_data(TensorData::new(values, [count]), (&options.device, dtype))
}

/// Shifts each of `dims` cyclically by half its size, so that frequency 0 is in the middle. PyTorch:
/// `torch.fft.fftshift`.
///
/// # Errors
/// When a dimension does not exist.
#[fallible]
pub fn try_fftshift<B: Backend, const D: usize, K: TensorKind>(
    tensor: Tensor<B, D, K>,
    dims: &[isize],
) -> Result<Tensor<B, D, K>, TensorError> {
    turned("fftshift", tensor, dims, |size| size - size / 2)
}

/// Computes the inverse of [`fftshift`]: different only for odd sizes. PyTorch: `torch.fft.ifftshift`.
///
/// # Errors
/// When a dimension does not exist.
#[fallible]
pub fn try_ifftshift<B: Backend, const D: usize, K: TensorKind>(
    tensor: Tensor<B, D, K>,
    dims: &[isize],
) -> Result<Tensor<B, D, K>, TensorError> {
    turned("ifftshift", tensor, dims, |size| size / 2)
}

/// Rotates each of `dims` so that it starts with element `start(size)`.
#[track_caller]
fn turned<B: Backend, const D: usize, K: TensorKind>(
    operation: &'static str,
    tensor: Tensor<B, D, K>,
    dims: &[isize],
    start: fn(usize) -> usize,
) -> Result<Tensor<B, D, K>, TensorError> {
    let mut x = tensor;
    for dim in dims {
        let dim = dim.resolve(operation, &x.spec().shape)?;
        let size = x.dims()[dim];
        let start = start(size);
        let (first, second) = (x.clone().try_narrow(dim, start, size - start)?, x.try_narrow(dim, 0, start)?);
        x = Tensor::try_cat(vec![first, second], dim)?;
    }
    Ok(x)
}
