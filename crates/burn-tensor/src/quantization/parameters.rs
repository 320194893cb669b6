use super::{CalibrationRange, QuantizationScheme};
use crate::{Int, Tensor, TensorError};
use burn_backend::Backend;
use burn_derive::fallible;

/// Quantization parameters of a tensor: scales, and zero points where the scheme is affine.
#[derive(Clone, Debug)]
pub struct QuantizationParameters<B: Backend> {
    /// Scales of the quantized numbers.
    pub scale: Tensor<B, 1>,
    /// Zero points, one for each scale, where the scheme is affine.
    pub offset: Option<Tensor<B, 1, Int>>,
}

/// Computes the smallest scales with which the numbers of `scheme` cover `range`. PyTorch:
/// `calculate_qparams` of an observer.
///
/// With `low` and `high` the smallest and the largest number of the scheme:
///
/// - symmetric: `scale = max(|min|, |max|) / high`;
/// - affine, where the range is first extended to hold zero: `scale = (max - min) / (high - low)`, and
///   `offset = low - min / scale`, rounded. So zero stays zero, exactly.
///
/// A range of nothing but zero has the scale 1. A range that is not finite has a scale that is not.
#[fallible]
pub fn try_compute_q_params<B: Backend>(
    scheme: &QuantizationScheme,
    range: CalibrationRange<B>,
) -> Result<QuantizationParameters<B>, TensorError> {
    let (low, high) = scheme.range();
    let CalibrationRange { min, max } = range;
    let one_if_zero = |scale: Tensor<B, 1>| {
        let zero = scale.clone().equal_elem(0);
        scale.mask_fill(zero, 1)
    };
    if !scheme.is_affine() {
        let scale = min.abs().max_pair(max.abs()) / high;
        return Ok(QuantizationParameters { scale: one_if_zero(scale), offset: None });
    }
    let (min, max) = (min.clamp_max(0), max.clamp_min(0));
    // Each side for itself: the difference may be beyond the largest float.
    let steps = high - low;
    let scale = one_if_zero(max / steps - min.clone() / steps);
    let offset = (-(min / scale.clone()) + low).round().clamp(low, high);
    Ok(QuantizationParameters { scale, offset: Some(offset.int()) })
}
