use super::gru::gru_kind;
use super::settings::{add_sizes, add_stack};
use super::sizes::Sizes;
use super::stack::{Stack, forward_hidden};
use super::{GruLayer, SequenceLengths};
use crate::display::one_line;
use crate::{Dropout, DropoutConfig};
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

const NAME: &str = "bi_gru";

/// Options of [`BiGru`].
#[derive(Config, Debug)]
pub struct BiGruConfig {
    /// Number of features of the input.
    pub d_input: usize,
    /// Number of features of the hidden state.
    pub d_hidden: usize,
    /// Whether the projections have a learnable bias.
    pub bias: bool,
    /// Whether the reset gate multiplies the projection of the hidden state, as in PyTorch and cuDNN, rather
    /// than the hidden state before its projection, as in the paper.
    #[config(default = true)]
    pub reset_after: bool,
    /// Number of layers; each one goes through the hidden states of the one before.
    #[config(default = 1)]
    pub num_layers: usize,
    /// Dropout probability of the hidden states that a layer hands to the next one.
    #[config(default = 0.0)]
    pub dropout: f64,
    /// Whether input and output are `[batch, time, ..]`, rather than `[time, batch, ..]` as by default in
    /// PyTorch.
    #[config(default = true)]
    pub batch_first: bool,
    /// Initializer of every weight and bias, whose fans are `d_hidden`.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl BiGruConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<BiGru<B>, ConfigError> {
        let BiGruConfig { d_input, d_hidden, num_layers, dropout, bias, .. } = *self;
        let (config, initializer) = ("BiGruConfig", &self.initializer);
        let sizes =
            Sizes { config, d_input, d_hidden, num_layers, dropout, bias, initializer, directions: 2 };
        sizes.validate()?;
        let layer = |d_input| GruLayer::new(&sizes, d_input, device);
        let layers = || sizes.inputs().map(layer).collect();
        Ok(BiGru {
            forward: layers(),
            reverse: layers(),
            dropout: DropoutConfig::new(dropout).try_init()?,
            batch_first: self.batch_first,
            reset_after: self.reset_after,
        })
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

#[fallible(layer)]
impl<B: Backend> BiGru<B> {
    /// Applies the layer to whole sequences: `[batch, time, d_input]` to `[batch, time, 2 d_hidden]`, the
    /// hidden states of the last layer at each step, and the states of all layers after the last step, `[2
    /// num_layers, batch, d_hidden]`. Before the first step the states are `state`, or zero.
    ///
    /// # Errors
    /// The last dimension of the input is not `d_input`, or the state has another shape.
    pub fn try_forward(
        &self,
        x: Tensor<B, 3>,
        state: Option<Tensor<B, 3>>,
    ) -> Result<(Tensor<B, 3>, Tensor<B, 3>), TensorError> {
        forward_hidden(NAME, || self.stack(), x, None, state)
    }

    /// [`forward`](Self::forward) of sequences of these lengths, which are padded to the longest one: hidden
    /// states are zero at the steps of the padding, and the last state is that after the last step of each
    /// sequence.
    ///
    /// PyTorch: the layer on `torch.nn.utils.rnn.pack_padded_sequence(.., enforce_sorted=False)`.
    ///
    /// # Errors
    /// As [`forward`](Self::forward), or there is another number of lengths than of sequences, or one is
    /// above the sequence length of the input.
    pub fn try_forward_packed(
        &self,
        x: Tensor<B, 3>,
        lengths: impl Into<SequenceLengths>,
        state: Option<Tensor<B, 3>>,
    ) -> Result<(Tensor<B, 3>, Tensor<B, 3>), TensorError> {
        forward_hidden(NAME, || self.stack(), x, Some(lengths.into()), state)
    }

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
