use crate::display::one_line;
use crate::input::check_channels;
use alloc::format;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
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
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<GroupNorm<B>, ConfigError> {
        let GroupNormConfig { num_groups, num_channels, epsilon, affine } = *self;
        let check = FieldCheck::of("GroupNormConfig");
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
    /// `[channels]`.
    pub gamma: Option<Param<Tensor<B, 1>>>,
    /// `[channels]`.
    pub beta: Option<Param<Tensor<B, 1>>>,
    pub num_groups: usize,
    pub num_channels: usize,
    pub epsilon: f64,
}

impl<B: Backend> GroupNorm<B> {
    /// Normalizes `[batch, channels, ..]`; the shape is unchanged.
    ///
    /// # Panics
    /// The number of channels is another.
    #[track_caller]
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        let (dims, channels) = (x.dims(), self.num_channels);
        check_channels("group_norm", &dims, channels);
        let affine = Affine { gamma: self.gamma.as_ref(), beta: self.beta.as_ref() };
        by_group(
            x.reshape([dims[0], channels, dims.iter().skip(2).product()]),
            self.num_groups,
            affine,
            self.epsilon,
        )
        .reshape(dims)
    }
}

/// Scale and shift per channel.
pub(super) struct Affine<'a, B: Backend> {
    pub gamma: Option<&'a Param<Tensor<B, 1>>>,
    pub beta: Option<&'a Param<Tensor<B, 1>>>,
}

/// `[batch, channels, inner]` with the mean and variance of each sample and group of channels.
pub(super) fn by_group<B: Backend>(
    x: Tensor<B, 3>,
    groups: usize,
    affine: Affine<'_, B>,
    epsilon: f64,
) -> Tensor<B, 3> {
    let [batch, channels, inner] = x.dims();
    let x = x.reshape([batch, groups, channels / groups * inner]);
    let mean = x.clone().mean_dim(2);
    let centered = x - mean;
    let variance = centered.clone().square().mean_dim(2);
    let y = (centered / (variance + epsilon).sqrt()).reshape([batch, channels, inner]);
    let of_channels = |param: &Param<Tensor<B, 1>>| param.val().reshape([1, channels, 1]);
    let y = match affine.gamma {
        Some(gamma) => y * of_channels(gamma),
        None => y,
    };
    match affine.beta {
        Some(beta) => y + of_channels(beta),
        None => y,
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
