use crate::display::one_line;
use crate::input::check_channels;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::module::instance_norm;
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`InstanceNorm`].
#[derive(Config, Debug)]
pub struct InstanceNormConfig {
    /// Number of channels, which are dimension 1.
    pub num_channels: usize,
    /// Added to the variance for numerical stability.
    #[config(default = 1e-5)]
    pub epsilon: f64,
    /// Whether each channel has a learnable scale and bias.
    #[config(default = true)]
    pub affine: bool,
}

#[fallible(config)]
impl InstanceNormConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<InstanceNorm<B>, ConfigError> {
        let InstanceNormConfig { num_channels, epsilon, affine } = *self;
        let check = FieldCheck::of("InstanceNormConfig");
        check.elements(&[("num_channels", num_channels)])?;
        check.not_negative("epsilon", epsilon)?;
        Ok(InstanceNorm {
            gamma: affine.then(|| Initializer::Ones.init([num_channels], device)),
            beta: affine.then(|| Initializer::Zeros.init([num_channels], device)),
            num_channels,
            epsilon,
        })
    }
}

/// Instance normalization: `y = (x - mean) / sqrt(var + epsilon) gamma + beta` over each sample and channel
/// (Ulyanov et al. 2016): [`GroupNorm`](crate::GroupNorm) with a group for each channel. PyTorch:
/// `torch.nn.InstanceNorm1d`, `InstanceNorm2d` and `InstanceNorm3d`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{InstanceNorm, InstanceNormConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let norm: InstanceNorm<NdArray> = InstanceNormConfig::new(2).with_epsilon(0.0).init(&device);
/// let y = norm.forward(Tensor::<NdArray, 3>::from_data([[[1.0, 3.0], [9.0, 5.0]]], &device));
/// assert_eq!(y.into_data().to_f64(), [-1.0, 1.0, 1.0, -1.0]);
/// assert_eq!(norm.to_string(), "InstanceNorm {num_channels: 2, epsilon: 0, params: 4}");
/// ```
#[doc(alias = "InstanceNorm1d")]
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct InstanceNorm<B: Backend> {
    /// Scale, `[channels]`.
    pub gamma: Option<Param<Tensor<B, 1>>>,
    /// Bias, `[channels]`.
    pub beta: Option<Param<Tensor<B, 1>>>,
    /// Number of channels.
    pub num_channels: usize,
    /// Added to the variance for numerical stability.
    pub epsilon: f64,
}

#[fallible(layer = "instance_norm")]
impl<B: Backend> InstanceNorm<B> {
    /// Normalizes `[batch, channels, ..]`; the shape is unchanged.
    ///
    /// # Panics
    /// The number of channels is not `num_channels`.
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        check_channels("instance_norm", &x.dims(), self.num_channels);
        let [gamma, beta] = [&self.gamma, &self.beta].map(|param| param.as_ref().map(Param::val));
        instance_norm(x, gamma, beta, self.epsilon)
    }
}

impl<B: Backend> ModuleDisplay for InstanceNorm<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let content = content.add("num_channels", &self.num_channels);
        content.add("epsilon", &self.epsilon).optional()
    }
}
