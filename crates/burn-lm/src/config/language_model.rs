use super::RopeConfig;
use burn_core::config::Config;
use burn_nn::transformer::FeedForwardActivation;

/// Kind of normalization.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// Root mean square normalization with a scale.
    Rms,
    /// Layer normalization with scale and bias.
    Layer,
}

/// Order of attention, feed-forward network and residual connections in a block.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum BlockLayout {
    /// `x + attention(norm(x))`, then `x + feed_forward(norm(x))`: Llama, Qwen, GPT-2.
    Sequential,
    /// As `Sequential`, and what is added is normalized too: Gemma 2 and 3.
    PostNorm,
    /// `x + attention(norm(x)) + feed_forward(norm(x))` with one norm: Phi 1 and 2.
    Parallel,
}

/// Options of a decoder-only transformer: Llama, Qwen 2 and 3, Gemma 1 to 3, Mistral, Phi 1 to 3, GPT-2,
/// SmolLM.
///
/// The defaults are those of a Llama: RMSNorm, a gated SiLU network, rotary positions, no biases. Files are
/// read by [`from_gguf`](Self::from_gguf) and [`from_hugging_face`](Self::from_hugging_face).
///
/// ```
/// use burn::lm::{LanguageModel, LanguageModelConfig};
/// use burn::backend::NdArray;
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let config = LanguageModelConfig::new(100, 16, 2, 4, 32).with_n_key_value_heads(Some(2));
/// let model: LanguageModel<NdArray> = config.init(&device)?;
/// let tokens = Tensor::<NdArray, 2, Int>::from_data([[1, 7, 9]], &device);
/// assert_eq!(model.forward(tokens)?.dims(), [1, 3, 100]);
/// # Ok::<(), burn::lm::LmError>(())
/// ```
#[derive(Config, Debug, PartialEq)]
pub struct LanguageModelConfig {
    /// Vocabulary size: the number of embedding vectors.
    pub vocabulary_size: usize,
    /// Embedding dimension: the size of the residual stream.
    pub d_model: usize,
    /// Number of blocks.
    pub n_layers: usize,
    /// Number of heads of the query.
    pub n_heads: usize,
    /// Size of the hidden layer of the feed-forward networks.
    pub d_ff: usize,
    /// Largest sequence length.
    #[config(default = 2048)]
    pub context_length: usize,
    /// Number of heads of key and value, a divisor of `n_heads`; by default `n_heads`.
    #[config(default = "None")]
    pub n_key_value_heads: Option<usize>,
    /// Size of a head; by default `d_model / n_heads`.
    #[config(default = "None")]
    pub d_head: Option<usize>,
    /// Kind of all norms.
    #[config(default = "NormKind::Rms")]
    pub norm: NormKind,
    /// Added to the variance, or mean of squares, for numerical stability.
    #[config(default = 1e-5)]
    pub norm_epsilon: f64,
    /// Order of the parts of a block.
    #[config(default = "BlockLayout::Sequential")]
    pub layout: BlockLayout,
    /// Whether the heads of query and key are normalized before they are rotated.
    #[config(default = false)]
    pub qk_norm: bool,
    /// Activation function of the feed-forward networks.
    #[config(default = "FeedForwardActivation::Silu")]
    pub activation: FeedForwardActivation,
    /// Whether a second projection gates the hidden layer, as in SwiGLU.
    #[config(default = true)]
    pub gated: bool,
    /// Whether the projections of query, key and value have a bias.
    #[config(default = false)]
    pub attention_bias: bool,
    /// Whether the output projection of attention has a bias.
    #[config(default = false)]
    pub output_bias: bool,
    /// Whether the projections of the feed-forward networks have a bias.
    #[config(default = false)]
    pub feed_forward_bias: bool,
    /// Whether the projection to logits has a bias.
    #[config(default = false)]
    pub head_bias: bool,
    /// Whether positions are learned embeddings that are added to those of the tokens, as in GPT-2.
    #[config(default = false)]
    pub learned_positions: bool,
    /// Rotary position encoding of query and key.
    #[config(default = "Some(RopeConfig::new())")]
    pub rope: Option<RopeConfig>,
    /// Rotary position encoding of the layers with a sliding window; by default `rope`.
    #[config(default = "None")]
    pub window_rope: Option<RopeConfig>,
    /// Layers without rotary position encoding, as in SmolLM 3.
    #[config(default = "Vec::new()")]
    pub layers_without_rope: Vec<usize>,
    /// Number of positions, its own among them, that a query of a layer with a sliding window attends to.
    #[config(default = "None")]
    pub sliding_window: Option<usize>,
    /// Layers with the sliding window.
    #[config(default = "Vec::new()")]
    pub window_layers: Vec<usize>,
    /// Factor of the attention scores; by default `1 / sqrt(d_head)`.
    #[config(default = "None")]
    pub attention_scale: Option<f64>,
    /// Soft cap of the attention scores: `cap tanh(score / cap)`.
    #[config(default = "None")]
    pub attention_soft_cap: Option<f64>,
    /// Soft cap of the logits: `cap tanh(logit / cap)`.
    #[config(default = "None")]
    pub logit_soft_cap: Option<f64>,
    /// Factor of the token embeddings, `sqrt(d_model)` in Gemma.
    #[config(default = "None")]
    pub embedding_scale: Option<f64>,
    /// Whether the projection to logits is the transposed embedding matrix.
    #[config(default = false)]
    pub tied_embeddings: bool,
    /// Whether the file has scales of norms from which one was subtracted, as Hugging Face's files of Gemma;
    /// they are loaded with the one added.
    #[config(default = false)]
    pub norm_plus_one: bool,
    /// Whether the file has query, key and value in one projection, as GPT-2 and Phi 3; such files are loaded
    /// in parts.
    #[config(default = false)]
    pub joint_projections: bool,
    /// Dropout probability of the embeddings and of what attention and feed-forward networks add, in
    /// training. Files do not set it.
    #[config(default = 0.0)]
    pub dropout: f64,
}

impl LanguageModelConfig {
    /// Returns the number of heads of key and value.
    pub fn key_value_heads(&self) -> usize {
        self.n_key_value_heads.unwrap_or(self.n_heads)
    }

    /// Returns the size of a head.
    pub fn head_size(&self) -> usize {
        self.d_head.unwrap_or(self.d_model / self.n_heads.max(1))
    }

    /// Returns the sliding window of a layer, if it has one.
    pub fn window(&self, layer: usize) -> Option<usize> {
        self.sliding_window.filter(|_| self.window_layers.contains(&layer))
    }
}
