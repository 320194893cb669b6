//! Options of stacks of transformer layers.

macro_rules! stack_config {
    ($stack:ident, $config:ident, $layer:ident, $memory:literal, $attention:literal) => {
        #[doc = concat!("Options of [`", stringify!($stack), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            #[doc = concat!("Embedding dimension", $memory, ".")]
            pub d_model: usize,
            /// Size of the hidden layer of the feed-forward networks.
            pub d_ff: usize,
            /// Number of attention heads.
            pub n_heads: usize,
            /// Number of layers.
            pub n_layers: usize,
            /// Dropout probability of attention weights, hidden layers and residual connections.
            #[config(default = 0.1)]
            pub dropout: f64,
            #[doc = concat!("Whether norms are before ", $attention, " and feed-forward network (pre-norm), not after")]
            /// the sums (post-norm).
            #[config(default = false)]
            pub norm_first: bool,
            /// Whether a layer norm follows the last layer, as pre-norm stacks have it.
            #[config(default = false)]
            pub final_norm: bool,
            /// Epsilon of the layer norms.
            #[config(default = 1e-5)]
            pub layer_norm_eps: f64,
            /// Activation function of the feed-forward networks.
            #[config(default = "FeedForwardActivation::Gelu")]
            pub activation: FeedForwardActivation,
            /// Whether a second projection gates the feed-forward networks: SwiGLU with
            /// `FeedForwardActivation::Silu`.
            #[config(default = false)]
            pub gated_feed_forward: bool,
            /// Number of heads of key and value, a divisor of `n_heads`; by default `n_heads`.
            #[config(default = "None")]
            pub n_key_value_heads: Option<usize>,
            /// Whether linear layers and norms have a learnable bias.
            #[config(default = true)]
            pub bias: bool,
            /// Whether the softmax is `exp(x) / (1 + sum(exp(x)))`.
            #[config(default = false)]
            pub quiet_softmax: bool,
            /// Initializer of the linear layers.
            #[config(default = "Initializer::TORCH")]
            pub initializer: Initializer,
        }

        #[fallible(config)]
        impl $config {
            /// Returns the layers, on `device`.
            ///
            /// # Errors
            /// A field is out of its range; the error names the field and its value.
            pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<$stack<B>, ConfigError> {
                let layer = self.layer();
                layer.validate(FieldCheck::of(stringify!($config)), self.n_layers)?;
                Ok($stack {
                    layers: (0..self.n_layers).map(|_| $layer::new(&layer, device)).collect(),
                    norm: self.final_norm.then(|| layer.norm(device)),
                })
            }
        }

        impl $config {
            fn layer(&self) -> LayerConfig<'_> {
                LayerConfig {
                    d_model: self.d_model,
                    d_ff: self.d_ff,
                    n_heads: self.n_heads,
                    n_key_value_heads: self.n_key_value_heads,
                    dropout: self.dropout,
                    norm_first: self.norm_first,
                    layer_norm_eps: self.layer_norm_eps,
                    activation: self.activation,
                    gated_feed_forward: self.gated_feed_forward,
                    bias: self.bias,
                    quiet_softmax: self.quiet_softmax,
                    initializer: &self.initializer,
                }
            }
        }
    };
}
pub(super) use stack_config;
