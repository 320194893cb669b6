use super::FeedForwardActivation;
use crate::display::one_line;
use crate::input::check_last_dim;
use crate::size_limits::check_weight;
use crate::{Dropout, DropoutConfig, Initializer, Linear, LinearConfig};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`PositionWiseFeedForward`].
#[derive(Config, Debug)]
pub struct PositionWiseFeedForwardConfig {
    /// Size of the last dimension of the input and of the output.
    pub d_model: usize,
    /// Size of the hidden layer.
    pub d_ff: usize,
    /// Dropout probability of the hidden layer.
    #[config(default = 0.1)]
    pub dropout: f64,
    /// Activation function of the hidden layer.
    #[config(default = "FeedForwardActivation::Gelu")]
    pub activation: FeedForwardActivation,
    /// Whether a second projection gates the hidden layer, as in SwiGLU.
    #[config(default = false)]
    pub gated: bool,
    /// Whether the projections have a learnable bias.
    #[config(default = true)]
    pub bias: bool,
    /// Initializer of the projections.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl PositionWiseFeedForwardConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(
        &self,
        device: &B::Device,
    ) -> Result<PositionWiseFeedForward<B>, ConfigError> {
        let check = FieldCheck::of("PositionWiseFeedForwardConfig");
        check_weight(check, &[("d_model", self.d_model), ("d_ff", self.d_ff)], &self.initializer)?;
        check.probability("dropout", self.dropout)?;
        let linear = |inputs: usize, outputs: usize| {
            LinearConfig::new(inputs, outputs)
                .with_bias(self.bias)
                .with_initializer(self.initializer.clone())
                .init(device)
        };
        Ok(PositionWiseFeedForward {
            linear_inner: linear(self.d_model, self.d_ff),
            linear_gate: self.gated.then(|| linear(self.d_model, self.d_ff)),
            linear_outer: linear(self.d_ff, self.d_model),
            dropout: DropoutConfig::new(self.dropout).init(),
            activation: Ignored(self.activation),
        })
    }
}

/// Position-wise feed-forward network of a transformer: `dropout(activation(x inner)) outer` (Vaswani et al.
/// 2017).
///
/// Gated it is `dropout(activation(x inner) * (x gate)) outer` (Shazeer 2020): SwiGLU with
/// [`FeedForwardActivation::Silu`], the feed-forward network of Llama.
///
/// ```
/// use burn::nn::transformer::{PositionWiseFeedForward, PositionWiseFeedForwardConfig};
/// use burn::tensor::{Tensor, backend::Backend};
///
/// fn forward<B: Backend, const D: usize>(layer: &PositionWiseFeedForward<B>, x: Tensor<B, D>) -> Tensor<B, D> {
///     layer.forward(x)
/// }
///
/// let device = Default::default();
/// let layer = PositionWiseFeedForwardConfig::new(4, 16).init(&device);
/// let x = Tensor::<burn::backend::NdArray, 3>::ones([2, 3, 4], &device);
/// assert_eq!(forward(&layer, x).dims(), [2, 3, 4]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct PositionWiseFeedForward<B: Backend> {
    /// Projection to the hidden layer, `[d_model, d_ff]`.
    pub linear_inner: Linear<B>,
    /// Projection that gates the hidden layer, `[d_model, d_ff]`.
    pub linear_gate: Option<Linear<B>>,
    /// Projection of the hidden layer, `[d_ff, d_model]`.
    pub linear_outer: Linear<B>,
    /// Dropout of the hidden layer.
    pub dropout: Dropout,
    /// Activation function of the hidden layer.
    pub activation: Ignored<FeedForwardActivation>,
}

#[fallible(layer = "position_wise_feed_forward")]
impl<B: Backend> PositionWiseFeedForward<B> {
    /// Applies the network: `[.., d_model]` to `[.., d_model]`.
    ///
    /// # Panics
    /// The last dimension is not `d_model`.
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        check_last_dim("position_wise_feed_forward", &x.dims(), self.linear_inner.weight.dims()[0]);
        let gate = self.linear_gate.as_ref().map(|gate| gate.forward(x.clone()));
        let hidden = self.activation.forward(self.linear_inner.forward(x));
        let hidden = match gate {
            Some(gate) => hidden * gate,
            None => hidden,
        };
        self.linear_outer.forward(self.dropout.forward(hidden))
    }
}

impl<B: Backend> ModuleDisplay for PositionWiseFeedForward<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [d_model, d_ff] = self.linear_inner.weight.dims();
        content
            .add("d_model", &d_model)
            .add("d_ff", &d_ff)
            .add("dropout", &self.dropout.prob)
            .add_debug("activation", &self.activation.0)
            .add("gated", &self.linear_gate.is_some())
            .optional()
    }
}
