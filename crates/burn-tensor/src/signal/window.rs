use crate::create::made;
use crate::{Float, Tensor, TensorError, TensorOptions};
use burn_backend::{Backend, TensorData, UnaryOp};
use burn_derive::fallible;
use core::f64::consts::TAU;

/// Creates the Hann window, `0.5 - 0.5 cos(2 pi k / n)`: a signal times it begins and ends at 0.
///
/// `n` is `size` if it is `periodic`, which is what transforms of overlapping pieces want, and `size - 1` if
/// it is symmetric, for the design of filters. PyTorch: `torch.hann_window`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, signal};
/// fn windowed<B: Backend>(x: Tensor<B, 1>) -> Tensor<B, 1> {
///     let window = signal::hann_window::<B>(x.dims()[0], true, &x.device());
///     x * window
/// }
/// ```
///
/// # Errors
/// When memory cannot hold `size` elements, or the dtype is no float.
#[fallible]
pub fn try_hann_window<B: Backend>(
    size: usize,
    periodic: bool,
    options: impl Into<TensorOptions<B>>,
) -> Result<Tensor<B, 1>, TensorError> {
    window(size, periodic, &options.into(), [0.5, 0.5, 0.0])
}

/// Creates the Hamming window, `0.54 - 0.46 cos(2 pi k / n)`: lower side lobes next to the main one than
/// [`hann_window`].
///
/// `n` is `size` if it is `periodic`, else `size - 1`. PyTorch: `torch.hamming_window`.
///
/// # Errors
/// When memory cannot hold `size` elements, or the dtype is no float.
#[fallible]
pub fn try_hamming_window<B: Backend>(
    size: usize,
    periodic: bool,
    options: impl Into<TensorOptions<B>>,
) -> Result<Tensor<B, 1>, TensorError> {
    window(size, periodic, &options.into(), [0.54, 0.46, 0.0])
}

/// Creates the Blackman window, `0.42 - 0.5 cos(2 pi k / n) + 0.08 cos(4 pi k / n)`: a wider main lobe and
/// lower side lobes.
///
/// `n` is `size` if it is `periodic`, else `size - 1`. PyTorch: `torch.blackman_window`.
///
/// # Errors
/// When memory cannot hold `size` elements, or the dtype is no float.
#[fallible]
pub fn try_blackman_window<B: Backend>(
    size: usize,
    periodic: bool,
    options: impl Into<TensorOptions<B>>,
) -> Result<Tensor<B, 1>, TensorError> {
    window(size, periodic, &options.into(), [0.42, 0.5, 0.08])
}

/// Computes `a - b cos(2 pi k / n) + c cos(4 pi k / n)`.
#[track_caller]
fn window<B: Backend>(
    size: usize,
    periodic: bool,
    options: &TensorOptions<B>,
    [a, b, c]: [f64; 3],
) -> Result<Tensor<B, 1>, TensorError> {
    let dtype = options.dtype::<Float>("window")?;
    let n = if periodic { size } else { size.saturating_sub(1) };
    let cos = |turns: f64| UnaryOp::Cos.eval_f64(TAU * turns);
    let at = |k: usize| {
        let turns = k as f64 / n as f64;
        a - b * cos(turns) + c * cos(2.0 * turns)
    };
    // One element is the whole window, whichever its kind.
    let values = if size == 1 { [1.0].into() } else { made([size], (0..size).map(at))? };
    Tensor::try_from_data(TensorData::new(values, [size]), (&options.device, dtype))
}
