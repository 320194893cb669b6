use super::config::recurrent_config;
use super::forward::forward_sequences;
use super::settings::{add_sizes, add_stack};
use super::sizes::Sizes;
use super::stack::{Gates, Stack, forward_hidden};
use super::{GateController, SequenceLengths};
use crate::Dropout;
use crate::display::one_line;
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

recurrent_config! {
    Rnn, RnnConfig, 1, [layers], Sizes::gate,
    {
        /// Activation of the hidden state.
        #[config(default = "RnnNonlinearity::Tanh")]
        nonlinearity: RnnNonlinearity, Ignored
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

forward_sequences! {
    Rnn, forward_hidden, Tensor<B, 3>, "[batch, time, d_hidden]",
    "`[num_layers, batch, d_hidden]`"
}

impl<B: Backend> Rnn<B> {
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
