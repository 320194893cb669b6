use crate::Linear;
use crate::display::one_line;
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor};

/// Weights of one gate of a recurrent layer: a projection of the input and one of the hidden state.
///
/// PyTorch keeps those of all gates of a layer in one matrix each, `weight_ih` and `weight_hh`, with the
/// biases `bias_ih` and `bias_hh`; the weights of a gate are the transpose of its rows.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{GateController, Initializer};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let gate: GateController<NdArray> = GateController::new(3, 2, false, Initializer::Ones, &device);
/// let (x, hidden) = (Tensor::ones([1, 3], &device), Tensor::ones([1, 2], &device));
/// assert_eq!(gate.gate_product(x, hidden).into_data().to_f64(), [5.0, 5.0]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct GateController<B: Backend> {
    /// Projection of the input, from `d_input` to `d_hidden`.
    pub input_transform: Linear<B>,
    /// Projection of the hidden state, from `d_hidden` to `d_hidden`.
    pub hidden_transform: Linear<B>,
}

impl<B: Backend> GateController<B> {
    /// Returns the weights of a gate, on `device`. Both fans of the initializer are `d_hidden`, for every
    /// weight and bias.
    pub fn new(
        d_input: usize,
        d_hidden: usize,
        bias: bool,
        initializer: Initializer,
        device: &B::Device,
    ) -> Self {
        let fan = Some(d_hidden);
        let transform = |d_input: usize| {
            let bias = bias.then(|| initializer.init_with([d_hidden], fan, fan, device));
            Linear::new(initializer.init_with([d_input, d_hidden], fan, fan, device), bias)
        };
        GateController { input_transform: transform(d_input), hidden_transform: transform(d_hidden) }
    }

    /// Returns the sum of both projections, `[batch, d_hidden]`: what the activation of the gate is applied
    /// to.
    ///
    /// # Panics
    /// The last dimension of `input` is not `d_input`, or that of `hidden` is not `d_hidden`.
    #[track_caller]
    pub fn gate_product(&self, input: Tensor<B, 2>, hidden: Tensor<B, 2>) -> Tensor<B, 2> {
        self.input_transform.forward(input) + self.hidden_transform.forward(hidden)
    }
}

impl<B: Backend> ModuleDisplay for GateController<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [d_input, d_hidden] = self.input_transform.weight.dims();
        content
            .add("d_input", &d_input)
            .add("d_hidden", &d_hidden)
            .add("bias", &self.input_transform.bias.is_some())
            .optional()
    }
}
