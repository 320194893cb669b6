use crate::check::ensure;
use crate::pad::PadMode;
use crate::{Tensor, TensorError};
use burn_backend::{Backend, Dims, PoolOptions};
use burn_derive::fallible;

/// Local response normalization across channels (Krizhevsky et al. 2012) of `[batch, channels, ..]`:
/// `x / (k + alpha / size * sum of x^2 over size neighbouring channels)^beta`.
/// PyTorch: `torch.nn.functional.local_response_norm`.
///
/// The channels of `c` are `c - size / 2 ..= c + (size - 1) / 2`; those that do not exist count as zeros.
///
/// # Errors
/// When the rank is below 2, or `size` is 0.
#[fallible]
pub fn try_local_response_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    size: usize,
    alpha: f64,
    beta: f64,
    k: f64,
) -> Result<Tensor<B, D>, TensorError> {
    let shape = x.shape();
    ensure!(D >= 2, "local_response_norm", "expected [batch, channels, ..], got {shape:?}");
    ensure!(size > 0, "local_response_norm", "wrong number of neighbouring channels; expected at least 1, got 0");
    if shape.num_elements() == 0 {
        return Ok(x);
    }
    let rest = shape[2..].iter().product::<usize>();
    let squares = x.clone().square().try_reshape([shape[0], 1, shape[1], rest])?;
    let squares = squares.try_pad([(size / 2, (size - 1) / 2), (0, 0)], PadMode::from(0.0))?;
    let windows = PoolOptions { stride: Dims::repeat(1, 2), ..PoolOptions::new([size, 1].into()) };
    let means: Tensor<B, D> = squares.try_avg_pool(windows, true)?.reshaped(shape)?;
    x.try_div(means.try_mul_scalar(alpha)?.try_add_scalar(k)?.try_powf_scalar(beta)?)
}
