use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`LeakyRelu`].
#[derive(Config, Debug)]
pub struct LeakyReluConfig {
    /// Slope for negative inputs.
    #[config(default = 0.01)]
    pub negative_slope: f64,
}

#[fallible(config)]
impl LeakyReluConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// The slope is not finite; the error names the field and its value.
    pub fn try_init(&self) -> Result<LeakyRelu, ConfigError> {
        let slope = self.negative_slope;
        let check = FieldCheck::of("LeakyReluConfig");
        check.ensure(slope.is_finite(), "negative_slope", &slope, "a finite number")?;
        Ok(LeakyRelu { negative_slope: slope })
    }
}

/// Leaky ReLU: `x` where positive, `negative_slope x` elsewhere (Maas et al. 2013). PyTorch:
/// `torch.nn.LeakyReLU`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::LeakyReluConfig;
/// use burn::tensor::Tensor;
///
/// let leaky = LeakyReluConfig::new().with_negative_slope(0.5).init();
/// let x = Tensor::<NdArray, 1>::from_data([-1.0, 2.0], &Default::default());
/// assert_eq!(leaky.forward(x).into_data().to_f64(), [-0.5, 2.0]);
/// assert_eq!(leaky.to_string(), "LeakyRelu {negative_slope: 0.5}");
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct LeakyRelu {
    /// Slope for negative inputs.
    pub negative_slope: f64,
}

impl LeakyRelu {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::leaky_relu(x, self.negative_slope)
    }
}

impl ModuleDisplay for LeakyRelu {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
