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
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay};
use burn_core::tensor::module::RecurrentKind;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

const NAME: &str = "gru";

recurrent_config! {
    Gru, GruConfig, 1, [layers], GruLayer::new,
    {
        /// Whether the reset gate multiplies the projection of the hidden state, as in PyTorch and cuDNN,
        /// rather than the hidden state before its projection, as in the paper.
        #[config(default = true)]
        reset_after: bool, core::convert::identity
    }
}

/// Weights of one layer of [`Gru`], or of one direction of a layer of [`BiGru`](crate::BiGru).
#[derive(Module, Debug)]
pub struct GruLayer<B: Backend> {
    /// Reset gate `r`.
    pub reset_gate: GateController<B>,
    /// Update gate `z`: the share of the hidden state that is kept.
    pub update_gate: GateController<B>,
    /// Candidate `n` for the hidden state.
    pub new_gate: GateController<B>,
}

impl<B: Backend> GruLayer<B> {
    pub(super) fn new(sizes: &Sizes<'_>, d_input: usize, device: &B::Device) -> Self {
        let gate = || sizes.gate(d_input, device);
        GruLayer { reset_gate: gate(), update_gate: gate(), new_gate: gate() }
    }
}

impl<B: Backend> Gates<B> for GruLayer<B> {
    fn gates(&self) -> Vec<&GateController<B>> {
        vec![&self.reset_gate, &self.update_gate, &self.new_gate]
    }
}

pub(super) fn gru_kind(reset_after: bool) -> RecurrentKind {
    if reset_after { RecurrentKind::Gru } else { RecurrentKind::GruResetBefore }
}

/// Gated recurrent unit (Cho et al. 2014). At each step of a sequence, with the logistic function `s`,
///
/// ```text
/// r = s(W_xr x + b_xr + W_hr h + b_hr)
/// z = s(W_xz x + b_xz + W_hz h + b_hz)
/// n = tanh(W_xn x + b_xn + r (W_hn h + b_hn))
/// h' = (1 - z) n + z h
/// ```
///
/// Without `reset_after`, `n = tanh(W_xn x + b_xn + W_hn (r h) + b_hn)`. PyTorch: `torch.nn.GRU`, which has
/// `reset_after`, with the transposes of its weights; `[batch, time, ..]` is the default order here. Weights
/// and biases are initialized uniformly in `[-r, r)` with `r = 1 / sqrt(d_hidden)`, as in PyTorch. All steps
/// of a layer are one operation.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Gru, GruConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let gru: Gru<NdArray> = GruConfig::new(4, 8, true).init(&device);
/// let (y, state) = gru.forward_packed(Tensor::ones([2, 5, 4], &device), [5, 3], None);
/// assert_eq!((y.dims(), state.dims()), ([2, 5, 8], [1, 2, 8]));
/// // The second sequence has ended.
/// assert_eq!(y.slice([1..2, 3..5]).abs().sum().into_scalar(), 0.0);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Gru<B: Backend> {
    /// Weights of each layer.
    pub layers: Vec<GruLayer<B>>,
    /// Dropout between layers.
    pub dropout: Dropout,
    pub batch_first: bool,
    pub reset_after: bool,
}

forward_sequences! {
    Gru, forward_hidden, Tensor<B, 3>, "[batch, time, d_hidden]",
    "`[num_layers, batch, d_hidden]`"
}

impl<B: Backend> Gru<B> {
    fn stack(&self) -> Stack<'_, B> {
        Stack::new(NAME, gru_kind(self.reset_after), &[&self.layers[..]], &self.dropout, self.batch_first)
    }
}

impl<B: Backend> ModuleDisplay for Gru<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let content = add_sizes(content, &self.layers[0].reset_gate).add("reset_after", &self.reset_after);
        add_stack(content, self.layers.len(), &self.dropout, self.batch_first)
    }
}
