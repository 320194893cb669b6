use crate::GradientsParams;
use crate::gradient_norm::{GradientNorm, times_factor};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Scalar, TypedCalls};
use burn_core::config::{Config, ConfigError, FieldCheck};

/// Gradient clipping, applied before the update.
///
/// Norms are those of the gradients of one [`step`](crate::Optimizer::step). The methods of
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
            GradientClippingConfig::GlobalNorm(_) => {
                if let Some(factor) = self.clip_or_factor(grads) {
                    grads.scale_by(&factor);
                }
            }
        }
    }

    /// Clips `grads`, or returns the factor, shape `[1]`, that is to be multiplied to all of them.
    pub(crate) fn clip_or_factor(&self, grads: &mut GradientsParams) -> Option<DynamicTensor> {
        match *self {
            GradientClippingConfig::Value(_) | GradientClippingConfig::Norm(_) => {
                self.clip(grads);
                None
            }
            GradientClippingConfig::GlobalNorm(max_norm) => {
                Some(GradientNorm::of(grads.iter())?.clip_factor(max_norm))
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
            let norm = GradientNorm::of([&grad].into_iter()).expect("there is one gradient");
            times_factor(grad, &norm.clip_factor(max_norm))
        });
    }

    /// Scales all gradients by one factor, if the 2-norm over all their elements is larger than `max_norm`,
    /// and returns that norm, as it was before. Waits for the device. PyTorch:
    /// `torch.nn.utils.clip_grad_norm_`.
    ///
    /// The squares of finite gradients neither overflow nor vanish on the way. The norm is infinite or NaN if
    /// a gradient is, and the clipped gradients are not finite either: compare it before a step, as
    /// `error_if_nonfinite` of PyTorch does.
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
        let Some(norm) = GradientNorm::of(self.iter()) else { return 0.0 };
        self.scale_by(&norm.clone().clip_factor(max_norm));
        norm.read()
    }

    /// Multiplies all gradients by `factor`, shape `[1]`.
    pub(crate) fn scale_by(&mut self, factor: &DynamicTensor) {
        self.map(|_, grad| times_factor(grad, factor));
    }

    /// Computes the 2-norm over all elements of all gradients. Waits for the device.
    ///
    /// # Panics
    /// The device failed, or this thread cannot wait for it.
    #[track_caller]
    pub fn global_norm(&self) -> f64 {
        GradientNorm::of(self.iter()).map_or(0.0, GradientNorm::read)
    }
}

#[cfg(test)]
mod tests {
    use super::GradientClippingConfig;
    use crate::GradientsParams;
    use alloc::vec::Vec;
    use burn_core::module::ParamId;
    use burn_core::tensor::{DType, Tensor, TensorData};
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

    /// Gradients of a dtype before and after clipping, and their norm before.
    fn norm_and_clipped(values: [f64; 2], dtype: DType, max_norm: f64) -> (f64, Vec<f64>, Vec<f64>) {
        let device = Default::default();
        let mut grads = GradientsParams::new();
        for (id, value) in [1_u64, 2].into_iter().zip(values) {
            let grad = Tensor::<NdArray, 1>::from_data(
                TensorData::from([value]).convert_dtype(dtype),
                (&device, dtype),
            );
            grads.register(ParamId::from(id), grad);
        }
        let read = |grads: &GradientsParams| -> Vec<f64> {
            let one = |id: u64| grads.get::<NdArray, 1>(ParamId::from(id)).unwrap().into_data().to_f64();
            [one(1), one(2)].concat()
        };
        let mut each = grads.clone();
        each.clip_by_norm(max_norm);
        let norm = grads.clip_by_global_norm(max_norm);
        (norm, read(&grads), read(&each))
    }

    #[test]
    fn squares_of_large_and_of_small_gradients_stay_in_range() {
        let wide = [(3e30, DType::F32), (3e-30, DType::F32), (3e37, DType::BF16), (1e200, DType::F64)];
        for (unit, dtype) in wide {
            let (norm, all, each) = norm_and_clipped([3.0 * unit, -4.0 * unit], dtype, 1.0);
            let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.01;
            assert!(near(norm, 5.0 * unit), "{norm} of {unit} {dtype}");
            if unit < 1.0 {
                // The factor of gradients that are smaller than the largest norm is 1.
                assert!(near(all[0], 3.0 * unit) && near(each[1], -4.0 * unit), "{all:?} {each:?}");
            } else {
                assert!(near(all[0], 0.6) && near(all[1], -0.8), "{all:?} of {unit} {dtype}");
                assert!(near(each[0], 1.0) && near(each[1], -1.0), "{each:?} of {unit} {dtype}");
            }
        }
    }

    #[test]
    fn norms_tell_gradients_that_are_not_finite() {
        assert_eq!(norm_and_clipped([f64::INFINITY, 1.0], DType::F32, 1.0).0, f64::INFINITY);
        assert!(norm_and_clipped([f64::NAN, 1.0], DType::F32, 1.0).0.is_nan());
        assert_eq!(norm_and_clipped([0.0, 0.0], DType::F32, 1.0).0, 0.0);
        // The norm is beyond the range of its dtype, and is read all the same.
        let (norm, all, _) = norm_and_clipped([3e38, 3e38], DType::F32, 1e3);
        assert!((norm / 4.242_640_7e38 - 1.0).abs() < 1e-6, "{norm}");
        assert!((all[0] / 707.106_78 - 1.0).abs() < 1e-4, "{all:?}");
    }

    #[test]
    fn gradients_without_elements_have_no_norm() {
        let mut grads = GradientsParams::new();
        grads.register(1.into(), Tensor::<NdArray, 2>::zeros([0, 3], &Default::default()));
        assert_eq!(grads.global_norm(), 0.0);
        GradientClippingConfig::Norm(1.0).clip(&mut grads);
        GradientClippingConfig::GlobalNorm(1.0).clip(&mut grads);
    }

    #[test]
    fn factors_too_small_for_half_precision_still_scale() {
        let mut grads = GradientsParams::new();
        let grad = Tensor::<NdArray, 1>::full([1 << 14], 6e4, (&Default::default(), DType::F16));
        grads.register(1.into(), grad);
        grads.clip_by_norm(0.125);
        let found = grads.remove::<NdArray, 1>(1.into()).unwrap().into_data().to_f64();
        // 0.125 / 128 in each of 2^14 elements; the factor is 1.6e-8.
        assert!((found[0] / 9.765_625e-4 - 1.0).abs() < 1e-3, "{}", found[0]);
    }
}
