use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`HardShrink`].
#[derive(Config, Debug)]
pub struct HardShrinkConfig {
    /// Elements of at most this magnitude become 0; at least 0.
    #[config(default = 0.5)]
    pub lambda: f64,
}

#[fallible(config)]
impl HardShrinkConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<HardShrink, ConfigError> {
        FieldCheck::of("HardShrinkConfig").not_negative("lambda", self.lambda)?;
        Ok(HardShrink { lambda: self.lambda })
    }
}

/// Hard shrinkage: `x` where `|x| > lambda`, 0 elsewhere. PyTorch: `torch.nn.Hardshrink`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::HardShrinkConfig;
/// use burn::tensor::Tensor;
///
/// let layer = HardShrinkConfig::new().init();
/// let x = Tensor::<NdArray, 1>::from_data([-2.0, 0.5, 1.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [-2.0, 0.0, 1.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct HardShrink {
    /// Elements of at most this magnitude become 0; at least 0.
    pub lambda: f64,
}

impl HardShrink {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::hard_shrink(x, self.lambda)
    }
}

impl ModuleDisplay for HardShrink {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
