use super::config::recurrent_config;
use super::forward::forward_sequences;
use super::settings::{add_sizes, add_stack};
use super::sizes::Sizes;
use super::stack::{Gates, Stack, forward_lstm};
use super::{GateController, LstmState, SequenceLengths};
use crate::Dropout;
use crate::display::one_line;
use alloc::vec;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay};
use burn_core::tensor::module::RecurrentKind;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

const NAME: &str = "lstm";

recurrent_config! {
    Lstm, LstmConfig, 1, [layers], LstmLayer::new,
    {}
}

/// Weights of one layer of [`Lstm`], or of one direction of a layer of [`BiLstm`](crate::BiLstm).
#[derive(Module, Debug)]
pub struct LstmLayer<B: Backend> {
    /// Input gate `i`: the share of the candidate that is added to the cell state.
    pub input_gate: GateController<B>,
    /// Forget gate `f`: the share of the cell state that is kept.
    pub forget_gate: GateController<B>,
    /// Candidate `g` for the cell state.
    pub cell_gate: GateController<B>,
    /// Output gate `o`: the share of the cell state that becomes the hidden state.
    pub output_gate: GateController<B>,
}

impl<B: Backend> LstmLayer<B> {
    pub(super) fn new(sizes: &Sizes<'_>, d_input: usize, device: &B::Device) -> Self {
        let gate = || sizes.gate(d_input, device);
        LstmLayer { input_gate: gate(), forget_gate: gate(), cell_gate: gate(), output_gate: gate() }
    }
}

impl<B: Backend> Gates<B> for LstmLayer<B> {
    fn gates(&self) -> Vec<&GateController<B>> {
        vec![&self.input_gate, &self.forget_gate, &self.cell_gate, &self.output_gate]
    }
}

/// Long short-term memory (Hochreiter and Schmidhuber 1997). At each step of a sequence, with the logistic
/// function `s`,
///
/// ```text
/// i = s(W_xi x + b_xi + W_hi h + b_hi)
/// f = s(W_xf x + b_xf + W_hf h + b_hf)
/// g = tanh(W_xg x + b_xg + W_hg h + b_hg)
/// o = s(W_xo x + b_xo + W_ho h + b_ho)
/// c' = f c + i g
/// h' = o tanh(c')
/// ```
///
/// PyTorch: `torch.nn.LSTM`, with the transposes of its weights; `[batch, time, ..]` is the default order
/// here. Weights and biases are initialized uniformly in `[-r, r)` with `r = 1 / sqrt(d_hidden)`, as in
/// PyTorch. All steps of a layer are one operation.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Lstm, LstmConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let lstm: Lstm<NdArray> = LstmConfig::new(4, 8, true).with_num_layers(2).init(&device);
/// let (y, state) = lstm.forward(Tensor::ones([3, 5, 4], &device), None);
/// assert_eq!((y.dims(), state.hidden.dims(), state.cell.dims()), ([3, 5, 8], [2, 3, 8], [2, 3, 8]));
/// // The next part of the sequences goes on from there.
/// let (y, _state) = lstm.forward(Tensor::ones([3, 1, 4], &device), Some(state));
/// assert_eq!(y.dims(), [3, 1, 8]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Lstm<B: Backend> {
    /// Weights of each layer.
    pub layers: Vec<LstmLayer<B>>,
    /// Dropout between layers.
    pub dropout: Dropout,
    pub batch_first: bool,
}

forward_sequences! {
    Lstm, forward_lstm, LstmState<B>, "[batch, time, d_hidden]",
    "`[num_layers, batch, d_hidden]` each"
}

impl<B: Backend> Lstm<B> {
    fn stack(&self) -> Stack<'_, B> {
        Stack::new(NAME, RecurrentKind::Lstm, &[&self.layers[..]], &self.dropout, self.batch_first)
    }
}

impl<B: Backend> ModuleDisplay for Lstm<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let content = add_sizes(content, &self.layers[0].input_gate);
        add_stack(content, self.layers.len(), &self.dropout, self.batch_first)
    }
}

#[cfg(test)]
mod tests {
    use super::{Lstm, LstmConfig};
    use alloc::string::ToString;
    use burn_ndarray::NdArray;

    #[test]
    fn lstm_prints_its_settings_and_parameters() {
        let config = LstmConfig::new(3, 4, true).with_num_layers(2).with_dropout(0.5);
        let lstm: Lstm<NdArray> = config.init(&Default::default());
        // Four gates with weights of 3 x 4 and 4 x 4 and two biases, then with two of 4 x 4.
        assert_eq!(
            lstm.to_string(),
            "Lstm {d_input: 3, d_hidden: 4, bias: true, num_layers: 2, dropout: 0.5, batch_first: true, params: 304}"
        );
    }
}
