use super::{CalibrationRange, QuantizationScheme};
use crate::Tensor;
use burn_backend::Backend;

/// Calibration: finds the range of the numbers that share a scale.
pub trait Calibration {
    /// Computes the range of `tensor` for each scale of `scheme`.
    ///
    /// # Panics
    /// The scheme does not fit the shape.
    #[track_caller]
    fn compute_range<B: Backend, const D: usize>(
        &self,
        tensor: &Tensor<B, D>,
        scheme: &QuantizationScheme,
    ) -> CalibrationRange<B>;

    /// Updates the range `so_far` with another tensor: a running range over batches.
    ///
    /// # Panics
    /// The scheme does not fit the shape, or gives another number of scales than before.
    #[must_use]
    #[track_caller]
    fn update_range<B: Backend, const D: usize>(
        &self,
        so_far: Option<CalibrationRange<B>>,
        tensor: &Tensor<B, D>,
        scheme: &QuantizationScheme,
    ) -> CalibrationRange<B> {
        let range = self.compute_range(tensor, scheme);
        match so_far {
            Some(so_far) => so_far.merge(range),
            None => range,
        }
    }
}

/// Calibration from the smallest to the largest number: without clipping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinMaxCalibration;

impl Calibration for MinMaxCalibration {
    fn compute_range<B: Backend, const D: usize>(
        &self,
        tensor: &Tensor<B, D>,
        scheme: &QuantizationScheme,
    ) -> CalibrationRange<B> {
        CalibrationRange::of(tensor, scheme)
    }
}
