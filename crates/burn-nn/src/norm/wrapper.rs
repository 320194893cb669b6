use super::{
    BatchNorm, BatchNormConfig, GroupNorm, GroupNormConfig, InstanceNorm, InstanceNormConfig, LayerNorm,
    LayerNormConfig, LocalResponseNorm, LocalResponseNormConfig, RmsNorm, RmsNormConfig,
};
use crate::display::one_line;
use burn_core::config::{Config, ConfigError};
use burn_core::module::{Content, DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Choice of a normalization layer, for configs of models.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{LayerNormConfig, Normalization, NormalizationConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let config = NormalizationConfig::from(LayerNormConfig::new(1)).with_num_features(4);
/// let norm: Normalization<NdArray> = config.init(&device);
/// assert_eq!(norm.forward(Tensor::<NdArray, 2>::ones([2, 4], &device)).dims(), [2, 4]);
/// ```
#[derive(Config, Debug)]
pub enum NormalizationConfig {
    /// [`BatchNorm`] with its options.
    Batch(BatchNormConfig),
    /// [`GroupNorm`] with its options.
    Group(GroupNormConfig),
    /// [`InstanceNorm`] with its options.
    Instance(InstanceNormConfig),
    /// [`LayerNorm`] with its options.
    Layer(LayerNormConfig),
    /// [`LocalResponseNorm`] with its options.
    LocalResponse(LocalResponseNormConfig),
    /// [`RmsNorm`] with its options.
    Rms(RmsNormConfig),
}

#[fallible(config)]
impl NormalizationConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// An option is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Normalization<B>, ConfigError> {
        Ok(match self {
            NormalizationConfig::Batch(config) => Normalization::Batch(config.try_init(device)?),
            NormalizationConfig::Group(config) => Normalization::Group(config.try_init(device)?),
            NormalizationConfig::Instance(config) => Normalization::Instance(config.try_init(device)?),
            NormalizationConfig::Layer(config) => Normalization::Layer(config.try_init(device)?),
            NormalizationConfig::LocalResponse(config) => Normalization::LocalResponse(config.try_init()?),
            NormalizationConfig::Rms(config) => Normalization::Rms(config.try_init(device)?),
        })
    }

    /// Returns the config with another number of features: of channels, or the size of the last dimension for
    /// [`LayerNorm`] and [`RmsNorm`]. [`LocalResponseNorm`] takes any number.
    #[must_use]
    pub fn with_num_features(self, num_features: usize) -> Self {
        match self {
            NormalizationConfig::Batch(config) => config.with_num_features(num_features).into(),
            NormalizationConfig::Group(config) => config.with_num_channels(num_features).into(),
            NormalizationConfig::Instance(config) => config.with_num_channels(num_features).into(),
            NormalizationConfig::Layer(config) => config.with_d_model(num_features).into(),
            NormalizationConfig::LocalResponse(config) => config.into(),
            NormalizationConfig::Rms(config) => config.with_d_model(num_features).into(),
        }
    }

    /// Returns the number of features: of channels, or the size of the last dimension for [`LayerNorm`] and
    /// [`RmsNorm`]. It is none for [`LocalResponseNorm`].
    pub fn num_features(&self) -> Option<usize> {
        match self {
            NormalizationConfig::Batch(config) => Some(config.num_features),
            NormalizationConfig::Group(config) => Some(config.num_channels),
            NormalizationConfig::Instance(config) => Some(config.num_channels),
            NormalizationConfig::Layer(config) => Some(config.d_model),
            NormalizationConfig::LocalResponse(_) => None,
            NormalizationConfig::Rms(config) => Some(config.d_model),
        }
    }
}

macro_rules! conversions {
    ($($variant:ident $config:ident)*) => {$(
        impl From<$config> for NormalizationConfig {
            fn from(config: $config) -> Self {
                NormalizationConfig::$variant(config)
            }
        }
    )*};
}

conversions! {
    Batch BatchNormConfig
    Group GroupNormConfig
    Instance InstanceNormConfig
    Layer LayerNormConfig
    LocalResponse LocalResponseNormConfig
    Rms RmsNormConfig
}

/// Normalization layer that is chosen at run time. PyTorch has no counterpart. Made by
/// [`NormalizationConfig`].
#[derive(Module, Debug)]
#[module(custom_display)]
pub enum Normalization<B: Backend> {
    /// [`BatchNorm`].
    Batch(BatchNorm<B>),
    /// [`GroupNorm`].
    Group(GroupNorm<B>),
    /// [`InstanceNorm`].
    Instance(InstanceNorm<B>),
    /// [`LayerNorm`].
    Layer(LayerNorm<B>),
    /// [`LocalResponseNorm`].
    LocalResponse(LocalResponseNorm),
    /// [`RmsNorm`].
    Rms(RmsNorm<B>),
}

impl<B: Backend> Normalization<B> {
    /// Normalizes `[batch, channels, ..]`, or `[.., d_model]` with [`LayerNorm`] and [`RmsNorm`]; the shape
    /// is unchanged.
    ///
    /// # Panics
    /// The layer refuses the shape.
    #[track_caller]
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        match self {
            Normalization::Batch(layer) => layer.forward(x),
            Normalization::Group(layer) => layer.forward(x),
            Normalization::Instance(layer) => layer.forward(x),
            Normalization::Layer(layer) => layer.forward(x),
            Normalization::LocalResponse(layer) => layer.forward(x),
            Normalization::Rms(layer) => layer.forward(x),
        }
    }
}

impl<B: Backend> ModuleDisplay for Normalization<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        match self {
            Normalization::Batch(layer) => layer.custom_content(content),
            Normalization::Group(layer) => layer.custom_content(content),
            Normalization::Instance(layer) => layer.custom_content(content),
            Normalization::Layer(layer) => layer.custom_content(content),
            Normalization::LocalResponse(layer) => layer.custom_content(content),
            Normalization::Rms(layer) => layer.custom_content(content),
        }
    }
}
