use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::module::local_response_norm;
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`LocalResponseNorm`].
#[derive(Config, Debug)]
pub struct LocalResponseNormConfig {
    /// Number of neighbouring channels in the sum; at least 1.
    pub size: usize,
    /// Factor of the sum.
    #[config(default = 1e-4)]
    pub alpha: f64,
    /// Exponent of the divisor.
    #[config(default = 0.75)]
    pub beta: f64,
    /// Added to the sum.
    #[config(default = 1.0)]
    pub k: f64,
}

#[fallible(config)]
impl LocalResponseNormConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<LocalResponseNorm, ConfigError> {
        let LocalResponseNormConfig { size, alpha, beta, k } = *self;
        let check = FieldCheck::of("LocalResponseNormConfig");
        check.at_least("size", size, 1)?;
        for (field, value) in [("alpha", alpha), ("beta", beta), ("k", k)] {
            check.ensure(value.is_finite(), field, &value, "a finite number")?;
        }
        Ok(LocalResponseNorm { size, alpha, beta, k })
    }
}

/// Local response normalization: `x / (k + alpha sum(x^2) / size)^beta`, with the sum over a window of `size`
/// neighbouring channels, zero-padded at both ends (Krizhevsky et al. 2012). PyTorch:
/// `torch.nn.LocalResponseNorm`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::LocalResponseNormConfig;
/// use burn::tensor::Tensor;
///
/// let layer = LocalResponseNormConfig::new(1).with_alpha(1.0).with_beta(1.0).init();
/// let x = Tensor::<NdArray, 2>::from_data([[1.0, 0.0]], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [0.5, 0.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct LocalResponseNorm {
    /// Number of neighbouring channels in the sum.
    pub size: usize,
    /// Factor of the sum.
    pub alpha: f64,
    /// Exponent of the divisor.
    pub beta: f64,
    /// Added to the sum.
    pub k: f64,
}

impl LocalResponseNorm {
    /// Normalizes `[batch, channels, ..]`; the shape is unchanged.
    ///
    /// # Panics
    /// The rank is below 2.
    #[track_caller]
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        local_response_norm(x, self.size, self.alpha, self.beta, self.k)
    }
}

impl ModuleDisplay for LocalResponseNorm {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
