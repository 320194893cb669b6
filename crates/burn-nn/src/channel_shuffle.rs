use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::module::try_channel_shuffle;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Options of [`ChannelShuffle`].
#[derive(Config, Debug)]
pub struct ChannelShuffleConfig {
    /// Number of groups that the channels are split into.
    pub groups: usize,
}

#[fallible(config)]
impl ChannelShuffleConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<ChannelShuffle, ConfigError> {
        FieldCheck::of("ChannelShuffleConfig").at_least("groups", self.groups, 1)?;
        Ok(ChannelShuffle { groups: self.groups })
    }
}

/// Channel shuffle layer (Zhang et al. 2018): splits the channels into groups and takes one of each in turn,
/// so that grouped convolutions exchange channels.
///
/// `y[b, i groups + g] = x[b, g (channels / groups) + i]`. PyTorch: `torch.nn.ChannelShuffle`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::ChannelShuffleConfig;
/// use burn::tensor::Tensor;
///
/// let layer = ChannelShuffleConfig::new(2).init();
/// let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0, 3.0, 4.0]], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [1.0, 3.0, 2.0, 4.0]);
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct ChannelShuffle {
    /// Number of groups that the channels are split into.
    pub groups: usize,
}

#[fallible(layer)]
impl ChannelShuffle {
    /// Shuffles the channels of `[batch, channels, ..]`; the shape is unchanged.
    ///
    /// # Errors
    /// The rank is below 2, or the groups do not divide the number of channels.
    pub fn try_forward<B: Backend, const D: usize>(
        &self,
        x: Tensor<B, D>,
    ) -> Result<Tensor<B, D>, TensorError> {
        try_channel_shuffle(x, self.groups)
    }
}

impl ModuleDisplay for ChannelShuffle {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
