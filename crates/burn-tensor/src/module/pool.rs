use crate::check::{check, ensure};
use crate::create::{fits, made};
use crate::pad::PadMode;
use crate::{Int, Tensor, TensorError};
use alloc::vec::Vec;
use burn_backend::{Backend, Dims, Operation, PoolArgs, PoolKind, PoolOptions, Shape, TensorData};
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

/// Computes [`max_pool1d`], and the position of each largest element in the length of the input. See
/// [`Tensor::max_pool_with_indices`]. PyTorch: `torch.nn.functional.max_pool1d(return_indices=True)`.
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

/// Computes [`max_pool2d`], and the position of each largest element in the flattened height and width of the input.
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

/// Largest element of each window of `[batch, channels, depth, height, width]`. See [`Tensor::max_pool`].
/// PyTorch: `torch.nn.functional.max_pool3d`.
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

/// Computes [`max_pool3d`], and the position of each largest element in the flattened depth, height and width of the
/// input. See [`Tensor::max_pool_with_indices`]. PyTorch: `torch.nn.functional.max_pool3d(return_indices=True)`.
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

/// Mean of each window of `[batch, channels, depth, height, width]`. See [`Tensor::avg_pool`].
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
    x.try_avg_pool(windows(kernel, stride, padding, [1, 1, 1]), count_include_pad)
}

/// Means over windows that cover depth, height and width in `size` steps.
/// PyTorch: `torch.nn.functional.adaptive_avg_pool3d`.
///
/// # Errors
/// When a dimension has no element.
#[fallible]
pub fn try_adaptive_avg_pool3d<B: Backend>(
    x: Tensor<B, 5>,
    size: [usize; 3],
) -> Result<Tensor<B, 5>, TensorError> {
    x.try_adaptive_avg_pool(size)
}

/// Largest elements over windows that cover the length in `size` steps.
/// PyTorch: `torch.nn.functional.adaptive_max_pool1d`.
///
/// # Errors
/// When the length is 0.
#[fallible]
pub fn try_adaptive_max_pool1d<B: Backend>(
    x: Tensor<B, 3>,
    size: usize,
) -> Result<Tensor<B, 3>, TensorError> {
    adaptive_max("adaptive_max_pool1d", x, 2, size)
}

/// Largest elements over windows that cover height and width in `size` steps: window `i` of `n` elements begins at
/// `floor(i n / size)` and ends before `ceil((i + 1) n / size)`. PyTorch: `torch.nn.functional.adaptive_max_pool2d`.
///
/// # Errors
/// When height or width is 0.
#[fallible]
pub fn try_adaptive_max_pool2d<B: Backend>(
    x: Tensor<B, 4>,
    size: [usize; 2],
) -> Result<Tensor<B, 4>, TensorError> {
    let x = adaptive_max("adaptive_max_pool2d", x, 2, size[0])?;
    adaptive_max("adaptive_max_pool2d", x, 3, size[1])
}

/// The elements of each window, the last one repeated up to the size of the longest, window after window.
fn adaptive_windows(input: usize, output: usize) -> Result<(Vec<i64>, usize), TensorError> {
    // Windows that no memory holds are not looked at either.
    made::<i64>([output], core::iter::empty())?;
    let bounds = |i: usize| {
        let at = |i: usize| i as u128 * input as u128;
        ((at(i) / output as u128) as usize, at(i + 1).div_ceil(output as u128) as usize)
    };
    let longest = (0..output).map(|i| bounds(i).1 - bounds(i).0).max().unwrap_or(1);
    let window = |i| {
        let (start, end) = bounds(i);
        (start..start + longest).map(move |at| at.min(end - 1) as i64)
    };
    Ok((made([output, longest], (0..output).flat_map(window))?, longest))
}

/// The largest of a window of several dimensions is the largest of the largest: one dimension at a time.
#[track_caller]
fn adaptive_max<B: Backend, const D: usize>(
    operation: &'static str,
    x: Tensor<B, D>,
    dim: usize,
    size: usize,
) -> Result<Tensor<B, D>, TensorError> {
    let shape = x.shape();
    ensure!(shape[dim] > 0, operation, "dimension {dim} of {shape:?} is empty");
    let target = shape.with(dim, size);
    fits(operation, &target, D, x.dtype())?;
    let (sources, longest) = adaptive_windows(shape[dim], size)?;
    let sources = Tensor::<B, 1, Int>::from_data(TensorData::new(sources, [size * longest]), &x.device());
    let (before, after): (usize, usize) = (shape[..dim].iter().product(), shape[dim + 1..].iter().product());
    let windows = x.select(dim, sources).try_reshape([before * size, longest, after])?;
    windows.try_max_dim(1)?.reshaped(target)
}

/// The windows of a pooling whose last one may begin inside of the input and end beyond it, in one dimension.
struct Ceiled {
    /// Added at the end, so that the windows fit.
    extra: usize,
    /// How many elements of a window are neither beyond the input nor beyond its padding.
    counts: Vec<f64>,
}

impl Ceiled {
    /// `None` when the options have no meaning, which the plain pooling explains.
    fn new(options: &PoolOptions, d: usize, size: usize) -> Option<Self> {
        let (kernel, stride) = (options.kernel[d], options.stride[d]);
        let reach = options.dilation[d].checked_mul(kernel.checked_sub(1)?)?.checked_add(1)?;
        let padding = options.padding[d];
        let padded = padding.checked_mul(2)?.checked_add(size)?;
        let mut last = padded.checked_sub(reach)?.checked_add(stride.checked_sub(1)?)?.checked_div(stride)?;
        // A window that would begin beyond the input is left out, as PyTorch does.
        if last.checked_mul(stride)? >= size.checked_add(padding)? {
            last -= 1;
        }
        let extra = (last * stride).checked_add(reach)?.saturating_sub(padded);
        let count = |i: usize| (i * stride + kernel).min(padded) - i * stride;
        Some(Ceiled { extra, counts: (0..=last).map(|i| count(i) as f64).collect() })
    }
}

#[track_caller]
fn ceiled<B: Backend, const D: usize>(
    x: &Tensor<B, D>,
    kind: PoolKind,
    options: &PoolOptions,
) -> Result<Vec<Ceiled>, TensorError> {
    let args = PoolArgs { kind, x: x.spec(), options: options.clone() };
    check(&Operation::Pool(args.into()))?;
    let shape = x.shape();
    let windows = (0..options.kernel.len()).map(|d| Ceiled::new(options, d, shape[d + 2]));
    let windows: Option<Vec<Ceiled>> = windows.collect();
    match windows {
        Some(windows) => Ok(windows),
        // Not in a closure, whose line it would be.
        None => Err(TensorError::argument("pool", format_args!("{options:?} of {shape:?} is too large"))),
    }
}

/// `padding` before, `padding` and `extra` after, of every spatial dimension.
#[track_caller]
fn widened<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    windows: &[Ceiled],
    options: &PoolOptions,
    value: f64,
) -> Result<Tensor<B, D>, TensorError> {
    let sides = windows.iter().zip(options.padding.iter());
    let pairs: Vec<(usize, usize)> =
        sides.map(|(window, &padding)| (padding, padding.saturating_add(window.extra))).collect();
    x.try_pad(pairs, PadMode::from(value))
}

/// [`Tensor::max_pool`] whose windows also cover what is left at the end. PyTorch:
/// `torch.nn.functional.max_pool2d(ceil_mode=True)` and its siblings.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_max_pool_ceil<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    options: PoolOptions,
) -> Result<Tensor<B, D>, TensorError> {
    let windows = ceiled(&x, PoolKind::Max, &options)?;
    if windows.iter().all(|window| window.extra == 0) {
        return x.try_max_pool(options);
    }
    let x = widened(x, &windows, &options, f64::NEG_INFINITY)?;
    let padding = Dims::repeat(0, windows.len());
    x.try_max_pool(PoolOptions { padding, ..options })
}

/// [`Tensor::avg_pool`] whose windows also cover what is left at the end; what is beyond the padding does not count.
/// PyTorch: `torch.nn.functional.avg_pool2d(ceil_mode=True)` and its siblings.
///
/// # Errors
/// When a window is larger than the padded input, or the padding than half of the window.
#[fallible]
pub fn try_avg_pool_ceil<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    options: PoolOptions,
    count_include_pad: bool,
) -> Result<Tensor<B, D>, TensorError> {
    let windows = ceiled(&x, PoolKind::Avg { count_include_pad }, &options)?;
    if windows.iter().all(|window| window.extra == 0) {
        return x.try_avg_pool(options, count_include_pad);
    }
    let (shape, dtype, device) = (x.shape(), x.dtype(), x.device());
    let mut y = widened(x, &windows, &options, 0.0)?;
    let plain = PoolOptions { padding: Dims::repeat(0, windows.len()), ..options.clone() };
    y = y.try_avg_pool(plain, true)?;
    for (d, window) in windows.iter().enumerate() {
        let (kernel, stride, padding) = (options.kernel[d], options.stride[d], options.padding[d]);
        let real = |i: usize| {
            let start = i * stride;
            (start + kernel).min(shape[d + 2] + padding) - start.max(padding)
        };
        let count = |i: usize| if count_include_pad { window.counts[i] } else { real(i) as f64 };
        let scales: Vec<f64> = (0..window.counts.len()).map(|i| kernel as f64 / count(i)).collect();
        let shape = Shape::from([1; D]).with(d + 2, scales.len());
        let data = TensorData::new(scales, shape).convert_dtype(dtype);
        y = y.try_mul(Tensor::from_handle(B::from_data(data, &device)))?;
    }
    Ok(y)
}
