use super::pool_ceil::try_avg_pool_ceil;
use crate::check::ensure;
use crate::{Tensor, TensorError};
use burn_backend::{Backend, PoolOptions};
use burn_derive::fallible;

/// Computes power-average pooling: `(sum over the window of x^p)^(1/p)` with `p = norm_type`; the sum for `p
/// = 1`, the maximum of positive elements as `p` grows. PyTorch: `torch.nn.functional.lp_pool2d` and its
/// siblings.
///
/// Where the sum is 0 the gradient is 0. With `ceil_mode`, the sum over a window that reaches beyond the
/// input is scaled up to the size of a whole window, as PyTorch does.
///
/// # Errors
/// When `norm_type` is not a finite number above 0, a window is larger than the padded input, or the padding
/// than half of the window.
#[fallible]
pub fn try_lp_pool<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    norm_type: f64,
    options: PoolOptions,
    ceil_mode: bool,
) -> Result<Tensor<B, D>, TensorError> {
    let fits = norm_type.is_finite() && norm_type > 0.0;
    ensure!(fits, "lp_pool", "wrong norm_type; expected a finite number above 0, got {norm_type}");
    let count: f64 = options.kernel.iter().map(|&size| size as f64).product();
    let dtype = x.dtype();
    let powers = x.widened().try_powf_scalar(norm_type)?;
    let means = match ceil_mode {
        true => try_avg_pool_ceil(powers, options, true)?,
        false => powers.try_avg_pool(options, true)?,
    };
    let sums = means.try_mul_scalar(count)?;
    // The root has an infinite derivative at 0.
    let zero = sums.clone().equal_elem(0);
    let roots = sums.try_mask_fill(zero.clone(), 1)?.try_powf_scalar(1.0 / norm_type)?;
    Ok(roots.try_mask_fill(zero, 0)?.rounded(dtype))
}
