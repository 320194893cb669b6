use crate::display::one_line;
use crate::half_precision::{is_half, widened};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::module::try_local_response_norm;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Options of [`LocalResponseNorm`].
#[derive(Config, Debug)]
pub struct LocalResponseNormConfig {
    /// Number of neighbouring channels, the channel itself included.
    pub size: usize,
    /// Factor of the mean of squares.
    #[config(default = 1e-4)]
    pub alpha: f64,
    /// Exponent of the denominator.
    #[config(default = 0.75)]
    pub beta: f64,
    /// Constant that is added to the mean of squares.
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
        let check = FieldCheck::of("LocalResponseNormConfig");
        check.at_least("size", self.size, 1)?;
        for (field, value) in [("alpha", self.alpha), ("beta", self.beta), ("k", self.k)] {
            check.ensure(value.is_finite(), field, &value, "a finite number")?;
        }
        let LocalResponseNormConfig { size, alpha, beta, k } = *self;
        Ok(LocalResponseNorm { size, alpha, beta, k })
    }
}

/// Local response normalization layer across channels (Krizhevsky et al. 2012).
///
/// `y[b, c, ..] = x[b, c, ..] / (k + alpha / size * sum over c' of x[b, c', ..]^2)^beta`, where `c'` goes
/// over the `size` channels from `c - size / 2`; those that do not exist count as zeros. PyTorch:
/// `torch.nn.LocalResponseNorm`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::LocalResponseNormConfig;
/// use burn::tensor::Tensor;
///
/// let norm = LocalResponseNormConfig::new(3).with_alpha(3.0).with_beta(1.0).init();
/// let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0, 0.0]], &Default::default());
/// let expected: [f64; 3] = [1.0 / (1.0 + 5.0), 2.0 / (1.0 + 5.0), 0.0];
/// for (y, expected) in norm.forward(x).into_data().to_f64().into_iter().zip(expected) {
///     assert!((y - expected).abs() < 1e-6);
/// }
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct LocalResponseNorm {
    /// Number of neighbouring channels, the channel itself included.
    pub size: usize,
    /// Factor of the mean of squares.
    pub alpha: f64,
    /// Exponent of the denominator.
    pub beta: f64,
    /// Constant that is added to the mean of squares.
    pub k: f64,
}

#[fallible(layer)]
impl LocalResponseNorm {
    /// Applies the normalization to `[batch, channels, ..]`; the shape is unchanged.
    ///
    /// # Errors
    /// The rank is below 2.
    pub fn try_forward<B: Backend, const D: usize>(
        &self,
        x: Tensor<B, D>,
    ) -> Result<Tensor<B, D>, TensorError> {
        let dtype = x.dtype();
        let y = try_local_response_norm(widened(x), self.size, self.alpha, self.beta, self.k)?;
        Ok(if is_half(dtype) { y.cast(dtype) } else { y })
    }
}

impl ModuleDisplay for LocalResponseNorm {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
