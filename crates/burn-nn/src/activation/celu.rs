use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`Celu`].
#[derive(Config, Debug)]
pub struct CeluConfig {
    /// Negative of the value that large negative inputs approach; positive.
    #[config(default = 1.0)]
    pub alpha: f64,
}

#[fallible(config)]
impl CeluConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Celu, ConfigError> {
        FieldCheck::of("CeluConfig").positive("alpha", self.alpha)?;
        Ok(Celu { alpha: self.alpha })
    }
}

/// Continuously differentiable exponential linear unit: `x` where positive, `alpha (e^(x / alpha) - 1)`
/// elsewhere (Barron 2017). PyTorch: `torch.nn.CELU`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::CeluConfig;
/// use burn::tensor::Tensor;
///
/// let layer = CeluConfig::new().with_alpha(0.5).init();
/// let x = Tensor::<NdArray, 1>::from_data([-100.0, 2.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [-0.5, 2.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct Celu {
    /// Negative of the value that large negative inputs approach; positive.
    pub alpha: f64,
}

impl Celu {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::celu(x, self.alpha)
    }
}

impl ModuleDisplay for Celu {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
