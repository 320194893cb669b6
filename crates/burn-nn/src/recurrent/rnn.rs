use super::settings::{add_sizes, add_stack};
use super::sizes::Sizes;
use super::stack::{Gates, Stack, forward_hidden};
use super::{GateController, SequenceLengths};
use crate::display::one_line;
use crate::{Dropout, DropoutConfig};
use alloc::vec;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError};
use burn_core::module::{Content, DisplaySettings, Ignored, Initializer, Module, ModuleDisplay};
use burn_core::tensor::module::RecurrentKind;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Activation of the hidden state of [`Rnn`].
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum RnnNonlinearity {
    /// Hyperbolic tangent.
    Tanh,
    /// `max(x, 0)`.
    Relu,
}

impl RnnNonlinearity {
    pub(super) fn kind(self) -> RecurrentKind {
        match self {
            RnnNonlinearity::Tanh => RecurrentKind::Tanh,
            RnnNonlinearity::Relu => RecurrentKind::Relu,
        }
    }
}

const NAME: &str = "rnn";

/// Options of [`Rnn`].
#[derive(Config, Debug)]
pub struct RnnConfig {
    /// Number of features of the input.
    pub d_input: usize,
    /// Number of features of the hidden state.
    pub d_hidden: usize,
    /// Whether the projections have a learnable bias.
    pub bias: bool,
    /// Activation of the hidden state.
    #[config(default = "RnnNonlinearity::Tanh")]
    pub nonlinearity: RnnNonlinearity,
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
impl RnnConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Rnn<B>, ConfigError> {
        let RnnConfig { d_input, d_hidden, num_layers, dropout, bias, .. } = *self;
        let (config, initializer) = ("RnnConfig", &self.initializer);
        let sizes =
            Sizes { config, d_input, d_hidden, num_layers, dropout, bias, initializer, directions: 1 };
        sizes.validate()?;
        let layer = |d_input| sizes.gate(d_input, device);
        let layers = || sizes.inputs().map(layer).collect();
        Ok(Rnn {
            layers: layers(),
            dropout: DropoutConfig::new(dropout).try_init()?,
            batch_first: self.batch_first,
            nonlinearity: Ignored(self.nonlinearity),
        })
    }
}

impl<B: Backend> Gates<B> for GateController<B> {
    fn gates(&self) -> Vec<&GateController<B>> {
        vec![self]
    }
}

/// Elman network (Elman 1990): `h' = tanh(W_x x + b_x + W_h h + b_h)` at each step of a sequence, or `relu`
/// of the same.
///
/// PyTorch: `torch.nn.RNN`, with the transposes of its weights; `[batch, time, ..]` is the default order
/// here. Weights and biases are initialized uniformly in `[-r, r)` with `r = 1 / sqrt(d_hidden)`, as in
/// PyTorch. All steps of a layer are one operation.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Rnn, RnnConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let rnn: Rnn<NdArray> = RnnConfig::new(4, 8, true).with_num_layers(2).init(&device);
/// let (y, state) = rnn.forward(Tensor::ones([3, 5, 4], &device), None);
/// assert_eq!((y.dims(), state.dims()), ([3, 5, 8], [2, 3, 8]));
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Rnn<B: Backend> {
    /// Weights of each layer.
    pub layers: Vec<GateController<B>>,
    /// Dropout between layers.
    pub dropout: Dropout,
    pub batch_first: bool,
    pub nonlinearity: Ignored<RnnNonlinearity>,
}

#[fallible(layer)]
impl<B: Backend> Rnn<B> {
    /// Applies the layer to whole sequences: `[batch, time, d_input]` to `[batch, time, d_hidden]`, the
    /// hidden states of the last layer at each step, and the states of all layers after the last step,
    /// `[num_layers, batch, d_hidden]`. Before the first step the states are `state`, or zero.
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
        Stack::new(NAME, self.nonlinearity.0.kind(), &[&self.layers[..]], &self.dropout, self.batch_first)
    }
}

impl<B: Backend> ModuleDisplay for Rnn<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let content = add_sizes(content, &self.layers[0]).add_debug("nonlinearity", &self.nonlinearity.0);
        add_stack(content, self.layers.len(), &self.dropout, self.batch_first)
    }
}
