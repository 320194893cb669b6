use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{AutodiffModule, Content, DisplaySettings, Module, ModuleDisplay, Training};
use burn_core::tensor::{AutodiffBackend, Backend, Distribution, Tensor};
use burn_derive::fallible;

/// Options of [`Dropout`].
#[derive(Config, Debug)]
pub struct DropoutConfig {
    /// Probability of an element to become zero, in `[0, 1]`.
    pub prob: f64,
}

#[fallible(config)]
impl DropoutConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Dropout, ConfigError> {
        FieldCheck::of("DropoutConfig").probability("prob", self.prob)?;
        Ok(Dropout { prob: self.prob, training: Training::default() })
    }
}

/// Dropout layer: sets elements to zero with probability `prob` and scales the others by `1 / (1 - prob)`, so
/// that the expected value is unchanged (Srivastava et al. 2014). PyTorch: `torch.nn.Dropout`.
///
/// Active on a backend that tracks gradients. On any other, and in `module.valid()`, it is the identity.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::nn::DropoutConfig;
/// use burn::tensor::Tensor;
///
/// let (device, dropout) = (Default::default(), DropoutConfig::new(0.5).init());
/// let x = Tensor::<Autodiff<NdArray>, 1>::ones([100], &device);
/// assert!(dropout.forward(x.clone()).into_data().to_f64().iter().all(|&y| y == 0.0 || y == 2.0));
/// assert_eq!(dropout.forward(x.clone().inner()).into_data(), x.into_data());
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display, custom_valid)]
pub struct Dropout {
    /// Dropout probability: the probability that an element is set to zero.
    pub prob: f64,
    /// Whether the layer is in training mode; [`valid`](AutodiffModule::valid) switches to evaluation mode.
    pub training: Training,
}

impl Dropout {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        if self.prob == 0.0 || !self.training.is_on::<B>(&x.device()) {
            return x;
        }
        let keep = 1.0 - self.prob;
        let scale = if keep > 0.0 { 1.0 / keep } else { 0.0 };
        let mask = x.random_like(Distribution::Bernoulli(keep)) * scale;
        x * mask
    }
}

/// Evaluation mode holds from then on, also where the inner backend tracks gradients.
impl<B: AutodiffBackend> AutodiffModule<B> for Dropout {
    type InnerModule = Self;

    fn valid(&self) -> Self {
        Dropout { training: Training::OFF, ..*self }
    }
}

impl ModuleDisplay for Dropout {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content.add("prob", &self.prob).optional()
    }
}

#[cfg(test)]
mod tests {
    use super::DropoutConfig;
    use alloc::string::ToString;
    use burn_autodiff::Autodiff;
    use burn_core::module::AutodiffModule;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    type B = Autodiff<NdArray>;

    #[test]
    fn dropout_keeps_the_mean_and_zeroes_the_share() {
        let x = Tensor::<B, 2>::ones([100, 100], &Default::default());
        let y = DropoutConfig::new(0.3).init().forward(x).into_data().to_f64();
        let zeros = y.iter().filter(|&&y| y == 0.0).count() as f64 / 10_000.0;
        assert!((zeros - 0.3).abs() < 0.03, "{zeros}");
        assert!(y.iter().all(|&y| y == 0.0 || (y - 1.0 / 0.7).abs() < 1e-6));
    }

    #[test]
    fn dropout_passes_the_gradient_where_it_passed_the_value() {
        let x = Tensor::<B, 1>::ones([50], &Default::default()).require_grad();
        let y = DropoutConfig::new(0.5).init().forward(x.clone());
        let grad = x.grad(&y.backward()).unwrap();
        assert_eq!(grad.into_data().to_f64(), y.into_data().to_f64());
    }

    #[test]
    fn dropout_is_off_in_validation_and_at_the_ends_of_its_range() {
        let x = Tensor::<B, 1>::ones([20], &Default::default());
        let dropout = AutodiffModule::<B>::valid(&DropoutConfig::new(0.5).init());
        assert_eq!(dropout.forward(x.clone().inner()).into_data().to_f64(), [1.0; 20]);
        assert_eq!(DropoutConfig::new(0.0).init().forward(x.clone()).into_data().to_f64(), [1.0; 20]);
        assert_eq!(DropoutConfig::new(1.0).init().forward(x).into_data().to_f64(), [0.0; 20]);
        assert_eq!(dropout.to_string(), "Dropout {prob: 0.5}");
    }

    #[test]
    #[should_panic(expected = "DropoutConfig: invalid `prob`; expected a number in [0, 1], got 1.5")]
    fn dropout_probability_out_of_range_panics() {
        let _dropout = DropoutConfig::new(1.5).init();
    }
}
