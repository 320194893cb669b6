use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`SoftShrink`].
#[derive(Config, Debug)]
pub struct SoftShrinkConfig {
    /// Distance by which elements move toward 0; at least 0.
    #[config(default = 0.5)]
    pub lambda: f64,
}

#[fallible(config)]
impl SoftShrinkConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<SoftShrink, ConfigError> {
        FieldCheck::of("SoftShrinkConfig").not_negative("lambda", self.lambda)?;
        Ok(SoftShrink { lambda: self.lambda })
    }
}

/// Soft shrinkage: `x - lambda` where `x > lambda`, `x + lambda` where `x < -lambda`, 0 elsewhere. PyTorch:
/// `torch.nn.Softshrink`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::SoftShrinkConfig;
/// use burn::tensor::Tensor;
///
/// let layer = SoftShrinkConfig::new().init();
/// let x = Tensor::<NdArray, 1>::from_data([-2.0, 0.25, 1.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [-1.5, 0.0, 0.5]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct SoftShrink {
    /// Distance by which elements move toward 0; at least 0.
    pub lambda: f64,
}

impl SoftShrink {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::soft_shrink(x, self.lambda)
    }
}

impl ModuleDisplay for SoftShrink {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
