use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`PRelu`].
#[derive(Config, Debug)]
pub struct PReluConfig {
    /// Number of learnable slopes: 1, or one per channel.
    #[config(default = 1)]
    pub num_parameters: usize,
    /// Initial value of the slopes.
    #[config(default = 0.25)]
    pub alpha: f64,
}

#[fallible(config)]
impl PReluConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<PRelu<B>, ConfigError> {
        let PReluConfig { num_parameters, alpha } = *self;
        let check = FieldCheck::of("PReluConfig");
        check.elements(&[("num_parameters", num_parameters)])?;
        check.ensure(alpha.is_finite(), "alpha", &alpha, "a finite number")?;
        Ok(PRelu { alpha: Initializer::Constant { value: alpha }.init([num_parameters], device) })
    }
}

/// Parametric ReLU: `x` where positive, `alpha x` elsewhere, with one learnable slope `alpha` or one per
/// channel (He et al. 2015). PyTorch: `torch.nn.PReLU`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{PRelu, PReluConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let prelu: PRelu<NdArray> = PReluConfig::new().init(&device);
/// let y = prelu.forward(Tensor::<NdArray, 1>::from_data([-4.0, 2.0], &device));
/// assert_eq!(y.into_data().to_f64(), [-1.0, 2.0]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct PRelu<B: Backend> {
    /// Slopes, `[1]` or `[channels]`.
    pub alpha: Param<Tensor<B, 1>>,
}

#[fallible(layer = "prelu")]
impl<B: Backend> PRelu<B> {
    /// Applies the layer; the shape is unchanged. With one slope per channel the input is
    /// `[batch, channels, ..]`.
    ///
    /// # Panics
    /// The number of channels of the input is not the number of slopes.
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::prelu(x, self.alpha.val())
    }
}

impl<B: Backend> ModuleDisplay for PRelu<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [num_parameters] = self.alpha.dims();
        content.add("num_parameters", &num_parameters).optional()
    }
}
