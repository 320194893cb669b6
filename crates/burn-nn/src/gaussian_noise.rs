use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{AutodiffModule, Content, DisplaySettings, Module, ModuleDisplay, Training};
use burn_core::tensor::{AutodiffBackend, Backend, Distribution, Tensor};
use burn_derive::fallible;

/// Options of [`GaussianNoise`].
#[derive(Config, Debug)]
pub struct GaussianNoiseConfig {
    /// Standard deviation of the noise; at least 0.
    pub std: f64,
}

#[fallible(config)]
impl GaussianNoiseConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<GaussianNoise, ConfigError> {
        FieldCheck::of("GaussianNoiseConfig").not_negative("std", self.std)?;
        Ok(GaussianNoise { std: self.std, training: Training::default() })
    }
}

/// Gaussian noise: adds normal noise with mean 0 and standard deviation `std` to its input, against
/// overfitting (Bishop, "Training with noise is equivalent to Tikhonov regularization", 1995). Keras:
/// `GaussianNoise`; PyTorch has no counterpart.
///
/// Active on a backend that tracks gradients. On any other, and in `module.valid()`, it is the identity.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::nn::GaussianNoiseConfig;
/// use burn::tensor::Tensor;
///
/// let (device, noise) = (Default::default(), GaussianNoiseConfig::new(0.1).init());
/// let x = Tensor::<Autodiff<NdArray>, 1>::ones([100], &device);
/// assert!(noise.forward(x.clone()).into_data() != x.to_data());
/// assert_eq!(noise.forward(x.clone().inner()).into_data(), x.into_data());
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display, custom_valid)]
pub struct GaussianNoise {
    /// Standard deviation of the noise.
    pub std: f64,
    /// Whether the layer is in training mode; [`valid`](AutodiffModule::valid) switches to evaluation mode.
    pub training: Training,
}

impl GaussianNoise {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        if self.std == 0.0 || !self.training.is_on::<B>(&x.device()) {
            return x;
        }
        let noise = x.random_like(Distribution::Normal(0.0, self.std));
        x + noise
    }
}

/// Evaluation mode holds from then on, also where the inner backend tracks gradients.
impl<B: AutodiffBackend> AutodiffModule<B> for GaussianNoise {
    type InnerModule = Self;

    fn valid(&self) -> Self {
        GaussianNoise { training: Training::OFF, ..*self }
    }
}

impl ModuleDisplay for GaussianNoise {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content.add("std", &self.std).optional()
    }
}

#[cfg(test)]
mod tests {
    use super::GaussianNoiseConfig;
    use burn_autodiff::Autodiff;
    use burn_core::module::AutodiffModule;
    use burn_core::tensor::{Backend, Tensor};
    use burn_ndarray::NdArray;

    type B = Autodiff<NdArray>;

    #[test]
    fn gaussian_noise_has_its_moments_and_passes_the_gradient() {
        B::seed(3);
        let noise = GaussianNoiseConfig::new(0.5).init();
        let x = Tensor::<B, 1>::full([40_000], 2.0, &Default::default()).require_grad();
        let y = noise.forward(x.clone());
        let values = y.to_data().to_f64();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|y| (y - 2.0) * (y - 2.0)).sum::<f64>() / values.len() as f64;
        // Five standard deviations of a mean and of a variance of 40,000 normal numbers.
        assert!((mean - 2.0).abs() < 5.0 * 0.5 / 200.0, "{mean}");
        assert!((variance - 0.25).abs() < 5.0 * 0.25 * f64::sqrt(2.0) / 200.0, "{variance}");
        assert!(x.grad(&y.backward()).unwrap().into_data().to_f64().iter().all(|&slope| slope == 1.0));
        let valid = AutodiffModule::<B>::valid(&noise);
        assert_eq!(valid.forward(x.clone().inner()).into_data(), x.into_data());
    }
}
