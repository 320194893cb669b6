//! Piecewise linear units.

use crate::check::ensure;
use crate::unary::unary_functions;
use crate::{Tensor, TensorError};
use burn_backend::{Backend, UnaryOp};
use burn_derive::fallible;

unary_functions! {
    /// Applies the rectified linear unit: `max(x, 0)`. PyTorch: `torch.nn.functional.relu`.
    relu, try_relu => Relu;
}

/// Applies the rectified linear unit with a maximum of 6: `min(max(x, 0), 6)` (Krizhevsky, 2010).
/// PyTorch: `torch.nn.functional.relu6`.
#[fallible]
pub fn try_relu6<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
    Ok(relu(tensor).clamp_max(6.0))
}

/// Applies the leaky ReLU: `x` where positive, `negative_slope * x` elsewhere (Maas et al., 2013).
/// PyTorch: `torch.nn.functional.leaky_relu`.
#[fallible]
pub fn try_leaky_relu<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    negative_slope: f64,
) -> Result<Tensor<B, D>, TensorError> {
    let negative = tensor.clone().lower_elem(0);
    let scaled = tensor.clone() * negative_slope;
    Ok(tensor.mask_where(negative, scaled))
}

/// Applies [`leaky_relu`] with learnable slopes: one for all elements, or one per channel (dimension 1) (He
/// et al., 2015). PyTorch: `torch.nn.functional.prelu`.
///
/// # Errors
/// When the number of slopes is neither 1 nor the number of channels, or their dtype is another one.
#[fallible]
pub fn try_prelu<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    alpha: Tensor<B, 1>,
) -> Result<Tensor<B, D>, TensorError> {
    let [count] = alpha.dims();
    let mut dims = [1; D];
    if count != 1 {
        let fits = D >= 2 && tensor.dims()[1] == count;
        ensure!(fits, "prelu", "{count} slopes for the channels (dimension 1) of {:?}", tensor.shape());
        dims[1] = count;
    }
    let negative = tensor.clone().lower_elem(0);
    let scaled = tensor.clone().try_mul(alpha.try_reshape(dims)?)?;
    tensor.try_mask_where(negative, scaled)
}

/// Replaces elements at or below `threshold` with `value`. PyTorch: `torch.nn.functional.threshold`.
///
/// The gradient passes where the element is above the threshold.
#[fallible]
pub fn try_threshold<B: Backend, const D: usize>(
    tensor: Tensor<B, D>,
    threshold: f64,
    value: f64,
) -> Result<Tensor<B, D>, TensorError> {
    let below = tensor.clone().lower_equal_elem(threshold);
    Ok(tensor.mask_fill(below, value))
}
