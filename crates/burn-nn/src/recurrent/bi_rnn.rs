use super::config::recurrent_config;
use super::forward::forward_sequences;
use super::settings::{add_sizes, add_stack};
use super::sizes::Sizes;
use super::stack::{Stack, forward_hidden};
use super::{GateController, RnnNonlinearity, SequenceLengths};
use crate::Dropout;
use crate::display::one_line;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError};
use burn_core::module::{Content, DisplaySettings, Ignored, Initializer, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

const NAME: &str = "bi_rnn";

recurrent_config! {
    BiRnn, BiRnnConfig, 2, [forward, reverse], Sizes::gate,
    {
        /// Activation of the hidden state.
        #[config(default = "RnnNonlinearity::Tanh")]
        nonlinearity: RnnNonlinearity, Ignored
    }
}

/// [`Rnn`](crate::Rnn) in both directions (Schuster and Paliwal 1997): one network goes through each sequence
/// from its first step to its last one, another one from the last to the first. Their hidden states at a step
/// stand one after the other, those of the forward direction first; the next layer reads both.
///
/// PyTorch: `torch.nn.RNN` with `bidirectional=True`, and with the transposes of its weights.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{BiRnn, BiRnnConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let layer: BiRnn<NdArray> = BiRnnConfig::new(4, 8, true).init(&device);
/// let (y, state) = layer.forward(Tensor::ones([3, 5, 4], &device), None);
/// assert_eq!((y.dims(), state.dims()), ([3, 5, 16], [2, 3, 8]));
/// ```
#[doc(alias = "RNN")]
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct BiRnn<B: Backend> {
    /// Weights of the forward direction of each layer.
    pub forward: Vec<GateController<B>>,
    /// Weights of the reverse direction of each layer.
    pub reverse: Vec<GateController<B>>,
    /// Dropout between layers.
    pub dropout: Dropout,
    pub batch_first: bool,
    pub nonlinearity: Ignored<RnnNonlinearity>,
}

forward_sequences! {
    BiRnn, forward_hidden, Tensor<B, 3>, "[batch, time, 2 d_hidden]",
    "`[2 num_layers, batch, d_hidden]`"
}

impl<B: Backend> BiRnn<B> {
    fn stack(&self) -> Stack<'_, B> {
        Stack::new(
            NAME,
            self.nonlinearity.0.kind(),
            &[&self.forward[..], &self.reverse[..]],
            &self.dropout,
            self.batch_first,
        )
    }
}

impl<B: Backend> ModuleDisplay for BiRnn<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let content = add_sizes(content, &self.forward[0]).add_debug("nonlinearity", &self.nonlinearity.0);
        add_stack(content, self.forward.len(), &self.dropout, self.batch_first)
    }
}
