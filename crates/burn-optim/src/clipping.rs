use crate::GradientsParams;
use crate::arithmetic::{
    add, add_scalar, cast, mul, norm, read_scalar, recip, scale, sqrt, sum_of_squares, with_rank,
};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, HasSpec, Scalar};
use burn_core::config::{Config, ConfigError, FieldCheck};

/// Gradient clipping, applied before the update.
///
/// A norm is that of the gradients of one [`step`](crate::Optimizer::step). The methods of
/// [`GradientsParams`] of the same names clip in a training loop of one's own.
#[derive(Config, Copy, Debug, PartialEq)]
pub enum GradientClippingConfig {
    /// Clamps each element to `[-threshold, threshold]`. PyTorch: `torch.nn.utils.clip_grad_value_`.
    Value(f64),
    /// Scales each gradient tensor down to this 2-norm, if its own is larger.
    Norm(f64),
    /// Scales all gradients by one factor, if the 2-norm over all their elements is larger than this.
    /// PyTorch: `torch.nn.utils.clip_grad_norm_`.
    GlobalNorm(f64),
}

impl GradientClippingConfig {
    /// Checks the field `grad_clipping` of an optimizer's config. An infinite threshold clips nothing.
    pub(crate) fn validate(clipping: Option<Self>, check: FieldCheck) -> Result<(), ConfigError> {
        let Some(clipping) = clipping else { return Ok(()) };
        let (Self::Value(threshold) | Self::Norm(threshold) | Self::GlobalNorm(threshold)) = clipping;
        check.ensure(threshold > 0.0, "grad_clipping", &clipping, "a threshold above 0")
    }

    /// Clips `grads`, without reading from the device.
    pub fn clip(&self, grads: &mut GradientsParams) {
        match *self {
            GradientClippingConfig::Value(threshold) => grads.clip_by_value(threshold),
            GradientClippingConfig::Norm(max_norm) => grads.clip_by_norm(max_norm),
            GradientClippingConfig::GlobalNorm(max_norm) => {
                if let Some(norm) = global_norm(grads) {
                    scale_to(grads, norm, max_norm);
                }
            }
        }
    }
}

impl GradientsParams {
    /// Clamps each element to `[-threshold, threshold]`. PyTorch: `torch.nn.utils.clip_grad_value_`.
    #[doc(alias = "clip_grad_value_")]
    pub fn clip_by_value(&mut self, threshold: f64) {
        self.map(|_, grad| {
            Dynamic::clamp(grad, Some(Scalar::Float(-threshold)), Some(Scalar::Float(threshold)))
        });
    }

    /// Scales each gradient tensor down to the 2-norm `max_norm`, if its own is larger.
    pub fn clip_by_norm(&mut self, max_norm: f64) {
        self.map(|_, grad| {
            let factor = clip_factor(norm(grad.clone()), max_norm);
            let factor = cast(factor, grad.dtype());
            mul::<Dynamic>(grad, factor)
        });
    }

    /// Scales all gradients by one factor, if the 2-norm over all their elements is larger than `max_norm`,
    /// and returns that norm, as it was before. Waits for the device. PyTorch:
    /// `torch.nn.utils.clip_grad_norm_`.
    ///
    /// The norm is infinite or NaN if a gradient is, and the clipped gradients are not finite either: compare
    /// it before a step, as `error_if_nonfinite` of PyTorch does.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::optim::GradientsParams;
    /// use burn::tensor::Tensor;
    ///
    /// let mut grads = GradientsParams::new();
    /// grads.register(1.into(), Tensor::<NdArray, 1>::from_data([3.0, -4.0], &Default::default()));
    /// grads.register(2.into(), Tensor::<NdArray, 1>::from_data([12.0], &Default::default()));
    /// assert_eq!(grads.clip_by_global_norm(6.5), 13.0);
    /// assert!((grads.global_norm() - 6.5).abs() < 1e-5);
    /// ```
    ///
    /// # Panics
    /// The device failed, or this thread cannot wait for it.
    #[doc(alias = "clip_grad_norm_")]
    #[track_caller]
    pub fn clip_by_global_norm(&mut self, max_norm: f64) -> f64 {
        let Some(norm) = global_norm(self) else { return 0.0 };
        scale_to(self, norm.clone(), max_norm);
        read_scalar(norm)
    }

    /// Computes the 2-norm over all elements of all gradients. Waits for the device.
    ///
    /// # Panics
    /// The device failed, or this thread cannot wait for it.
    #[track_caller]
    pub fn global_norm(&self) -> f64 {
        global_norm(self).map_or(0.0, read_scalar)
    }
}

/// Scales all gradients, whose global norm is `norm`.
fn scale_to(grads: &mut GradientsParams, norm: DynamicTensor, max_norm: f64) {
    let factor = clip_factor(norm, max_norm);
    grads.map(|_, grad| {
        let factor = Dynamic::to_device(factor.clone(), &Dynamic::device(&grad));
        let factor = with_rank(cast(factor, grad.dtype()), grad.spec().shape.rank());
        mul::<Dynamic>(grad, factor)
    });
}

/// Computes the scale that limits `norm` to `max_norm`: `min(max_norm / (norm + 1e-6), 1)`.
fn clip_factor(norm: DynamicTensor, max_norm: f64) -> DynamicTensor {
    let factor = scale(recip(add_scalar(norm, 1e-6)), max_norm);
    Dynamic::clamp(factor, None, Some(Scalar::Float(1.0)))
}

/// Computes the global norm on the device of the first gradient, shape `[1]`.
fn global_norm(grads: &GradientsParams) -> Option<DynamicTensor> {
    let squares = grads.iter().map(|grad| with_rank(sum_of_squares(grad.clone()), 1));
    let sum = squares.reduce(|sum, square| {
        let square = Dynamic::to_device(square, &Dynamic::device(&sum));
        let square = cast(square, sum.dtype());
        add::<Dynamic>(sum, square)
    });
    sum.map(sqrt)
}

#[cfg(test)]
mod tests {
    use super::GradientClippingConfig;
    use crate::GradientsParams;
    use alloc::vec::Vec;
    use burn_core::module::ParamId;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    fn clipped(config: GradientClippingConfig) -> (Vec<f64>, Vec<f64>) {
        let (first, second) = (ParamId::from(1), ParamId::from(2));
        let mut grads = GradientsParams::new();
        let device = Default::default();
        grads.register(first, Tensor::<NdArray, 1>::from_data([3.0, -4.0], &device));
        grads.register(second, Tensor::<NdArray, 2>::from_data([[0.0], [12.0]], &device));
        assert!((grads.global_norm() - 13.0).abs() < 1e-6);
        config.clip(&mut grads);
        let first = grads.remove::<NdArray, 1>(first).unwrap().into_data().to_f64();
        let second = grads.remove::<NdArray, 2>(second).unwrap().into_data().to_f64();
        (first, second)
    }

    fn close(found: (Vec<f64>, Vec<f64>), expected: ([f64; 2], [f64; 2])) {
        let found: Vec<f64> = found.0.into_iter().chain(found.1).collect();
        let expected: Vec<f64> = expected.0.into_iter().chain(expected.1).collect();
        assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-5), "{found:?} {expected:?}");
    }

    #[test]
    fn clipping_by_value_bounds_each_element() {
        close(clipped(GradientClippingConfig::Value(3.5)), ([3.0, -3.5], [0.0, 3.5]));
    }

    #[test]
    fn clipping_by_norm_looks_at_each_gradient() {
        close(clipped(GradientClippingConfig::Norm(6.0)), ([3.0, -4.0], [0.0, 6.0]));
    }

    #[test]
    fn clipping_by_global_norm_keeps_the_direction_of_all() {
        close(clipped(GradientClippingConfig::GlobalNorm(6.5)), ([1.5, -2.0], [0.0, 6.0]));
        close(clipped(GradientClippingConfig::GlobalNorm(20.0)), ([3.0, -4.0], [0.0, 12.0]));
    }
}
