use super::config::recurrent_config;
use super::forward::forward_sequences;
use super::gru::gru_kind;
use super::settings::{add_sizes, add_stack};
use super::sizes::Sizes;
use super::stack::{Stack, forward_hidden};
use super::{GruLayer, SequenceLengths};
use crate::Dropout;
use crate::display::one_line;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

const NAME: &str = "bi_gru";

recurrent_config! {
    BiGru, BiGruConfig, 2, [forward, reverse], GruLayer::new,
    {
        /// Whether the reset gate multiplies the projection of the hidden state, as in PyTorch and cuDNN,
        /// rather than the hidden state before its projection, as in the paper.
        #[config(default = true)]
        reset_after: bool, core::convert::identity
    }
}

/// [`Gru`](crate::Gru) in both directions (Schuster and Paliwal 1997): one network goes through each sequence
/// from its first step to its last one, another one from the last to the first. Their hidden states at a step
/// stand one after the other, those of the forward direction first; the next layer reads both.
///
/// PyTorch: `torch.nn.GRU` with `bidirectional=True`, and with the transposes of its weights.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{BiGru, BiGruConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let layer: BiGru<NdArray> = BiGruConfig::new(4, 8, true).init(&device);
/// let (y, state) = layer.forward(Tensor::ones([3, 5, 4], &device), None);
/// assert_eq!((y.dims(), state.dims()), ([3, 5, 16], [2, 3, 8]));
/// ```
#[doc(alias = "GRU")]
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct BiGru<B: Backend> {
    /// Weights of the forward direction of each layer.
    pub forward: Vec<GruLayer<B>>,
    /// Weights of the reverse direction of each layer.
    pub reverse: Vec<GruLayer<B>>,
    /// Dropout between layers.
    pub dropout: Dropout,
    pub batch_first: bool,
    pub reset_after: bool,
}

forward_sequences! {
    BiGru, forward_hidden, Tensor<B, 3>, "[batch, time, 2 d_hidden]",
    "`[2 num_layers, batch, d_hidden]`"
}

impl<B: Backend> BiGru<B> {
    fn stack(&self) -> Stack<'_, B> {
        Stack::new(
            NAME,
            gru_kind(self.reset_after),
            &[&self.forward[..], &self.reverse[..]],
            &self.dropout,
            self.batch_first,
        )
    }
}

impl<B: Backend> ModuleDisplay for BiGru<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let content = add_sizes(content, &self.forward[0].reset_gate).add("reset_after", &self.reset_after);
        add_stack(content, self.forward.len(), &self.dropout, self.batch_first)
    }
}

#[cfg(test)]
mod tests {
    use super::{BiGru, BiGruConfig};
    use alloc::string::ToString;
    use burn_ndarray::NdArray;

    #[test]
    fn bi_gru_prints_its_settings_and_parameters() {
        let gru: BiGru<NdArray> = BiGruConfig::new(3, 4, false).init(&Default::default());
        // Three gates in two directions with weights of 3 x 4 and 4 x 4.
        assert_eq!(
            gru.to_string(),
            "BiGru {d_input: 3, d_hidden: 4, bias: false, reset_after: true, num_layers: 1, dropout: 0, \
             batch_first: true, params: 168}"
        );
    }
}
