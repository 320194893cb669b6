use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`Hardtanh`].
#[derive(Config, Debug)]
pub struct HardtanhConfig {
    /// Lower limit.
    #[config(default = -1.0)]
    pub min: f64,
    /// Upper limit, above `min`.
    #[config(default = 1.0)]
    pub max: f64,
}

#[fallible(config)]
impl HardtanhConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Hardtanh, ConfigError> {
        let check = FieldCheck::of("HardtanhConfig");
        check.ensure(!self.min.is_nan(), "min", &self.min, "a number")?;
        check.ensure(self.max > self.min, "max", &self.max, "a number above `min`")?;
        Ok(Hardtanh { min: self.min, max: self.max })
    }
}

/// Hard hyperbolic tangent: `clamp(x, min, max)`. PyTorch: `torch.nn.Hardtanh`, with these defaults.
///
/// The gradient is 0 at `min` and `max`, as in PyTorch.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::HardtanhConfig;
/// use burn::tensor::Tensor;
///
/// let layer = HardtanhConfig::new().with_max(2.0).init();
/// let x = Tensor::<NdArray, 1>::from_data([-3.0, 0.5, 3.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [-1.0, 0.5, 2.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct Hardtanh {
    /// Lower limit.
    pub min: f64,
    /// Upper limit, above `min`.
    pub max: f64,
}

impl Hardtanh {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::hardtanh(x, self.min, self.max)
    }
}

impl ModuleDisplay for Hardtanh {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
