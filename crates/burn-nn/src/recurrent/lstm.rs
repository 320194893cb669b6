use super::settings::{add_sizes, add_stack};
use super::sizes::Sizes;
use super::stack::{Gates, Stack, forward_lstm};
use super::{GateController, LstmState, SequenceLengths};
use crate::display::one_line;
use crate::{Dropout, DropoutConfig};
use alloc::vec;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay};
use burn_core::tensor::module::RecurrentKind;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

const NAME: &str = "lstm";

/// Options of [`Lstm`].
#[derive(Config, Debug)]
pub struct LstmConfig {
    /// Number of features of the input.
    pub d_input: usize,
    /// Number of features of the hidden state.
    pub d_hidden: usize,
    /// Whether the projections have a learnable bias.
    pub bias: bool,
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
impl LstmConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Lstm<B>, ConfigError> {
        let LstmConfig { d_input, d_hidden, num_layers, dropout, bias, .. } = *self;
        let (config, initializer) = ("LstmConfig", &self.initializer);
        let sizes =
            Sizes { config, d_input, d_hidden, num_layers, dropout, bias, initializer, directions: 1 };
        sizes.validate()?;
        let layer = |d_input| LstmLayer::new(&sizes, d_input, device);
        let layers = || sizes.inputs().map(layer).collect();
        Ok(Lstm {
            layers: layers(),
            dropout: DropoutConfig::new(dropout).try_init()?,
            batch_first: self.batch_first,
        })
    }
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

#[fallible(layer)]
impl<B: Backend> Lstm<B> {
    /// Applies the layer to whole sequences: `[batch, time, d_input]` to `[batch, time, d_hidden]`, the
    /// hidden states of the last layer at each step, and the states of all layers after the last step,
    /// `[num_layers, batch, d_hidden]` each. Before the first step the states are `state`, or zero.
    ///
    /// # Errors
    /// The last dimension of the input is not `d_input`, or the state has another shape.
    pub fn try_forward(
        &self,
        x: Tensor<B, 3>,
        state: Option<LstmState<B>>,
    ) -> Result<(Tensor<B, 3>, LstmState<B>), TensorError> {
        forward_lstm(NAME, || self.stack(), x, None, state)
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
        state: Option<LstmState<B>>,
    ) -> Result<(Tensor<B, 3>, LstmState<B>), TensorError> {
        forward_lstm(NAME, || self.stack(), x, Some(lengths.into()), state)
    }

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
