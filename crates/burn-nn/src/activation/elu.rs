use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`Elu`].
#[derive(Config, Debug)]
pub struct EluConfig {
    /// Negative of the value that large negative inputs approach.
    #[config(default = 1.0)]
    pub alpha: f64,
}

#[fallible(config)]
impl EluConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Elu, ConfigError> {
        FieldCheck::of("EluConfig").ensure(
            self.alpha.is_finite(),
            "alpha",
            &self.alpha,
            "a finite number",
        )?;
        Ok(Elu { alpha: self.alpha })
    }
}

/// Exponential linear unit: `x` where positive, `alpha (e^x - 1)` elsewhere (Clevert et al. 2015). PyTorch:
/// `torch.nn.ELU`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::EluConfig;
/// use burn::tensor::Tensor;
///
/// let layer = EluConfig::new().with_alpha(0.5).init();
/// let x = Tensor::<NdArray, 1>::from_data([-100.0, 2.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [-0.5, 2.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct Elu {
    /// Negative of the value that large negative inputs approach.
    pub alpha: f64,
}

impl Elu {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::elu(x, self.alpha)
    }
}

impl ModuleDisplay for Elu {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
