//! Pooling in ceil mode: the last window of a dimension may reach beyond the padded input.

use crate::check::check;
use crate::pad::PadMode;
use crate::{Int, Tensor, TensorError};
use alloc::vec::Vec;
use burn_backend::{Backend, Dims, Operation, PoolArgs, PoolKind, PoolOptions, Pooling, Shape, TensorData};
use burn_derive::fallible;

/// The windows of one dimension in ceil mode.
struct CeilWindows {
    /// Elements to add at the end, beyond the padding, so that the last window fits.
    extra: usize,
    /// Number of elements of each window inside of the padded input.
    counts: Vec<f64>,
}

impl CeilWindows {
    /// Computes the windows of dimension `d`; `None` when no window fits, or sizes overflow.
    fn new(options: &PoolOptions, d: usize, size: usize) -> Option<Self> {
        let (kernel, stride) = (options.kernel[d], options.stride[d]);
        let reach = options.dilation[d].checked_mul(kernel.checked_sub(1)?)?.checked_add(1)?;
        let padding = options.padding[d];
        let padded = padding.checked_mul(2)?.checked_add(size)?;
        let mut last = padded.checked_sub(reach)?.checked_add(stride.checked_sub(1)?)?.checked_div(stride)?;
        // A window that would begin in the padding at the end is left out, as in PyTorch.
        if last.checked_mul(stride)? >= size.checked_add(padding)? {
            last -= 1;
        }
        let extra = (last * stride).checked_add(reach)?.saturating_sub(padded);
        let count = |i: usize| (i * stride + kernel).min(padded) - i * stride;
        Some(CeilWindows { extra, counts: (0..=last).map(|i| count(i) as f64).collect() })
    }
}

#[track_caller]
fn ceil_windows<B: Backend, const D: usize>(
    x: &Tensor<B, D>,
    kind: PoolKind,
    options: &PoolOptions,
) -> Result<Vec<CeilWindows>, TensorError> {
    let args = PoolArgs { kind, x: x.spec(), options: options.clone() };
    check(&Operation::Pooling(Pooling::Pool(args.into())))?;
    let shape = x.shape();
    let windows = (0..options.kernel.len()).map(|d| CeilWindows::new(options, d, shape[d + 2]));
    let windows: Option<Vec<CeilWindows>> = windows.collect();
    match windows {
        Some(windows) => Ok(windows),
        // Not in a closure: the error has the line of the caller.
        None => Err(TensorError::argument("pool", format_args!("{options:?} of {shape:?} is too large"))),
    }
}

/// Adds `extra` elements that no maximum takes at the end of each spatial dimension. They come after the
/// elements of the input in every window, so of equal elements the first is never one of them.
#[track_caller]
fn extended<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    windows: &[CeilWindows],
) -> Result<Tensor<B, D>, TensorError> {
    let pairs: Vec<(usize, usize)> = windows.iter().map(|window| (0, window.extra)).collect();
    x.try_pad(pairs, PadMode::from(f64::NEG_INFINITY))
}

/// Computes [`Tensor::max_pool`] in ceil mode: the last window may reach beyond the padded input.
/// PyTorch: `torch.nn.functional.max_pool2d(ceil_mode=True)` and its siblings.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_max_pool_ceil<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    options: PoolOptions,
) -> Result<Tensor<B, D>, TensorError> {
    let windows = ceil_windows(&x, PoolKind::Max, &options)?;
    if windows.iter().all(|window| window.extra == 0) {
        return x.try_max_pool(options);
    }
    extended(x, &windows)?.try_max_pool(options)
}

/// Computes [`Tensor::max_pool_with_indices`] in ceil mode.
/// PyTorch: `torch.nn.functional.max_pool2d(ceil_mode=True, return_indices=True)` and its siblings.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_max_pool_ceil_with_indices<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    options: PoolOptions,
) -> Result<(Tensor<B, D>, Tensor<B, D, Int>), TensorError> {
    let windows = ceil_windows(&x, PoolKind::Max, &options)?;
    if windows.iter().all(|window| window.extra == 0) {
        return x.try_max_pool_with_indices(options);
    }
    let (shape, device) = (x.shape(), x.device());
    let (values, indices) = extended(x, &windows)?.try_max_pool_with_indices(options)?;
    // Flat indices of the extended dimensions become those of the input by a table.
    let count: usize = shape[2..].iter().product();
    let spatial = Shape::from([1; D]);
    let spatial = (2..D).fold(spatial, |spatial, dim| spatial.with(dim, shape[dim]));
    let table: Tensor<B, D, Int> = Tensor::<B, 1, Int>::arange(0..count as i64, &device).reshaped(spatial)?;
    let pairs: Vec<(usize, usize)> = windows.iter().map(|window| (0, window.extra)).collect();
    let table = table.try_pad(pairs, PadMode::from(0))?;
    let (entries, pooled) = (table.shape().num_elements(), indices.shape());
    let table: Tensor<B, 1, Int> = table.try_reshape([entries])?;
    let indices: Tensor<B, 1, Int> = indices.try_reshape([pooled.num_elements()])?;
    Ok((values, table.select(0, indices).reshaped(pooled)?))
}

/// Means of the windows, the elements beyond the input counted as zeros.
#[track_caller]
fn zero_padded_means<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    windows: &[CeilWindows],
    options: &PoolOptions,
) -> Result<Tensor<B, D>, TensorError> {
    let sides = windows.iter().zip(options.padding.iter());
    let pairs: Vec<(usize, usize)> =
        sides.map(|(window, &padding)| (padding, padding.saturating_add(window.extra))).collect();
    let padding = Dims::repeat(0, windows.len());
    x.try_pad(pairs, PadMode::from(0.0))?.try_avg_pool(PoolOptions { padding, ..options.clone() }, true)
}

/// Computes [`Tensor::avg_pool`] in ceil mode: the last window may reach beyond the padded input, and the
/// elements there are not counted. PyTorch: `torch.nn.functional.avg_pool2d(ceil_mode=True)` and its
/// siblings.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_avg_pool_ceil<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    options: PoolOptions,
    count_include_pad: bool,
) -> Result<Tensor<B, D>, TensorError> {
    let windows = ceil_windows(&x, PoolKind::Avg { count_include_pad }, &options)?;
    if windows.iter().all(|window| window.extra == 0) {
        return x.try_avg_pool(options, count_include_pad);
    }
    let (shape, dtype, device) = (x.shape(), x.dtype(), x.device());
    let mut y = zero_padded_means(x, &windows, &options)?;
    for (d, window) in windows.iter().enumerate() {
        let (kernel, stride, padding) = (options.kernel[d], options.stride[d], options.padding[d]);
        let unpadded = |i: usize| {
            let start = i * stride;
            (start + kernel).min(shape[d + 2] + padding) - start.max(padding)
        };
        let count = |i: usize| if count_include_pad { window.counts[i] } else { unpadded(i) as f64 };
        let scales: Vec<f64> = (0..window.counts.len()).map(|i| kernel as f64 / count(i)).collect();
        let shape = Shape::from([1; D]).with(d + 2, scales.len());
        let data = TensorData::new(scales, shape).convert_dtype(dtype);
        y = y.try_mul(Tensor::from_handle(B::from_data(data, &device)))?;
    }
    Ok(y)
}

/// Computes the sum of each window; with `ceil_mode`, the last window may reach beyond the padded input.
/// PyTorch: `torch.nn.functional.avg_pool2d(divisor_override=1)` and its siblings.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_sum_pool<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    options: PoolOptions,
    ceil_mode: bool,
) -> Result<Tensor<B, D>, TensorError> {
    let windows = ceil_windows(&x, PoolKind::Avg { count_include_pad: true }, &options)?;
    let count: f64 = options.kernel.iter().map(|&size| size as f64).product();
    let means = match ceil_mode && windows.iter().any(|window| window.extra > 0) {
        true => zero_padded_means(x, &windows, &options)?,
        false => x.try_avg_pool(options, true)?,
    };
    means.try_mul_scalar(count)
}
