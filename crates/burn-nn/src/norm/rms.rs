use crate::display::one_line;
use crate::half_precision::{common_half, rounded, widened};
use crate::input::check_last_dim;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::module::rms_norm;
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`RmsNorm`].
#[derive(Config, Debug)]
pub struct RmsNormConfig {
    /// Size of the last dimension.
    pub d_model: usize,
    /// Added to the mean of squares for numerical stability; positive.
    #[config(default = 1e-5)]
    pub epsilon: f64,
}

#[fallible(config)]
impl RmsNormConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<RmsNorm<B>, ConfigError> {
        let check = FieldCheck::of("RmsNormConfig");
        check.elements(&[("d_model", self.d_model)])?;
        check.positive("epsilon", self.epsilon)?;
        Ok(RmsNorm { gamma: Initializer::Ones.init([self.d_model], device), epsilon: self.epsilon })
    }
}

/// Root mean square normalization: `y = x / sqrt(mean(x^2) + epsilon) gamma` over the last dimension (Zhang
/// and Sennrich 2019). PyTorch: `torch.nn.RMSNorm`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{RmsNorm, RmsNormConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let norm: RmsNorm<NdArray> = RmsNormConfig::new(2).with_epsilon(1e-30).init(&device);
/// let y = norm.forward(Tensor::<NdArray, 2>::from_data([[1.0, 7.0]], &device));
/// assert!((y.into_data().to_f64()[1] - 1.4).abs() < 1e-6);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct RmsNorm<B: Backend> {
    /// Scale, `[d_model]`.
    pub gamma: Param<Tensor<B, 1>>,
    /// Added to the mean of squares for numerical stability.
    pub epsilon: f64,
}

#[fallible(layer = "rms_norm")]
impl<B: Backend> RmsNorm<B> {
    /// Normalizes `[.., d_model]`; the shape is unchanged.
    ///
    /// # Panics
    /// The last dimension is not `d_model`.
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        check_last_dim("rms_norm", &x.dims(), self.gamma.dims()[0]);
        let gamma = self.gamma.val();
        let has_one_row = x.dims().iter().product::<usize>() == gamma.dims()[0];
        let dtype = common_half(x.dtype(), gamma.dtype());
        // Weights of one row are widened where they are used: so all is one block where calls are fused.
        let (x, gamma) = if has_one_row { (x, gamma) } else { (widened(x), widened(gamma)) };
        rounded(rms_norm(x, Some(gamma), self.epsilon), dtype)
    }
}

impl<B: Backend> ModuleDisplay for RmsNorm<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [d_model] = self.gamma.dims();
        content.add("d_model", &d_model).add("epsilon", &self.epsilon).optional()
    }
}
