use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`HardSigmoid`].
#[derive(Config, Debug)]
pub struct HardSigmoidConfig {
    /// Slope of the linear part.
    #[config(default = "1.0 / 6.0")]
    pub alpha: f64,
    /// Value at 0, the offset of the linear part.
    #[config(default = 0.5)]
    pub beta: f64,
}

#[fallible(config)]
impl HardSigmoidConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is not finite; the error names the field and its value.
    pub fn try_init(&self) -> Result<HardSigmoid, ConfigError> {
        let HardSigmoidConfig { alpha, beta } = *self;
        let check = FieldCheck::of("HardSigmoidConfig");
        check.ensure(alpha.is_finite(), "alpha", &alpha, "a finite number")?;
        check.ensure(beta.is_finite(), "beta", &beta, "a finite number")?;
        Ok(HardSigmoid { alpha, beta })
    }
}

/// Hard sigmoid: `clamp(alpha x + beta, 0, 1)`. PyTorch: `torch.nn.Hardsigmoid`, with these defaults.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::HardSigmoidConfig;
/// use burn::tensor::Tensor;
///
/// let layer = HardSigmoidConfig::new().with_alpha(0.25).init();
/// let x = Tensor::<NdArray, 1>::from_data([-4.0, 1.0, 3.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [0.0, 0.75, 1.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct HardSigmoid {
    /// Slope of the linear part.
    pub alpha: f64,
    /// Value at 0, the offset of the linear part.
    pub beta: f64,
}

impl HardSigmoid {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::hard_sigmoid(x, self.alpha, self.beta)
    }
}

impl ModuleDisplay for HardSigmoid {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
