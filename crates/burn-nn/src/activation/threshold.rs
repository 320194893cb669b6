use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`Threshold`].
#[derive(Config, Debug)]
pub struct ThresholdConfig {
    /// Elements at or below it are replaced.
    pub threshold: f64,
    /// Replacement.
    pub value: f64,
}

#[fallible(config)]
impl ThresholdConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Threshold, ConfigError> {
        let check = FieldCheck::of("ThresholdConfig");
        check.ensure(!self.threshold.is_nan(), "threshold", &self.threshold, "a number")?;
        Ok(Threshold { threshold: self.threshold, value: self.value })
    }
}

/// Threshold: `x` where `x > threshold`, `value` elsewhere. PyTorch: `torch.nn.Threshold`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::ThresholdConfig;
/// use burn::tensor::Tensor;
///
/// let layer = ThresholdConfig::new(0.5, -1.0).init();
/// let x = Tensor::<NdArray, 1>::from_data([0.0, 0.5, 2.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [-1.0, -1.0, 2.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct Threshold {
    /// Elements at or below it are replaced.
    pub threshold: f64,
    /// Replacement.
    pub value: f64,
}

impl Threshold {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::threshold(x, self.threshold, self.value)
    }
}

impl ModuleDisplay for Threshold {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
