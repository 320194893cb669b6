use crate::display::one_line;
use crate::input::check_channels;
use alloc::format;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::module::group_norm;
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`GroupNorm`].
#[derive(Config, Debug)]
pub struct GroupNormConfig {
    /// Number of groups that the channels are split into; a divisor of `num_channels`.
    pub num_groups: usize,
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
impl GroupNormConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<GroupNorm<B>, ConfigError> {
        let GroupNormConfig { num_groups, num_channels, epsilon, affine } = *self;
        let check = FieldCheck::of("GroupNormConfig");
        check.elements(&[("num_channels", num_channels)])?;
        let divides = num_groups > 0 && num_channels % num_groups == 0;
        let expected = format!("a divisor of the {num_channels} channels");
        check.ensure(divides, "num_groups", &num_groups, &expected)?;
        check.not_negative("epsilon", epsilon)?;
        Ok(GroupNorm {
            gamma: affine.then(|| Initializer::Ones.init([num_channels], device)),
            beta: affine.then(|| Initializer::Zeros.init([num_channels], device)),
            num_groups,
            num_channels,
            epsilon,
        })
    }
}

/// Group normalization: `y = (x - mean) / sqrt(var + epsilon) gamma + beta` over each sample and group of
/// channels (Wu and He 2018). PyTorch: `torch.nn.GroupNorm`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{GroupNorm, GroupNormConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let norm: GroupNorm<NdArray> = GroupNormConfig::new(2, 4).with_epsilon(0.0).init(&device);
/// let y = norm.forward(Tensor::<NdArray, 2>::from_data([[1.0, 3.0, 9.0, 5.0]], &device));
/// assert_eq!(y.into_data().to_f64(), [-1.0, 1.0, 1.0, -1.0]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct GroupNorm<B: Backend> {
    /// Scale, `[channels]`.
    pub gamma: Option<Param<Tensor<B, 1>>>,
    /// Bias, `[channels]`.
    pub beta: Option<Param<Tensor<B, 1>>>,
    /// Number of groups.
    pub num_groups: usize,
    /// Number of channels.
    pub num_channels: usize,
    /// Added to the variance for numerical stability.
    pub epsilon: f64,
}

#[fallible(layer = "group_norm")]
impl<B: Backend> GroupNorm<B> {
    /// Normalizes `[batch, channels, ..]`; the shape is unchanged.
    ///
    /// # Panics
    /// The number of channels is not `num_channels`.
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        check_channels("group_norm", &x.dims(), self.num_channels);
        let [gamma, beta] = [&self.gamma, &self.beta].map(|param| param.as_ref().map(Param::val));
        group_norm(x, self.num_groups, gamma, beta, self.epsilon)
    }
}

impl<B: Backend> ModuleDisplay for GroupNorm<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let content = content.add("num_groups", &self.num_groups).add("num_channels", &self.num_channels);
        content.add("epsilon", &self.epsilon).optional()
    }
}
