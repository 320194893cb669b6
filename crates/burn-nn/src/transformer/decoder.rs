use super::layer_config::LayerConfig;
use super::sublayer::check_layers;
use super::{
    FeedForwardActivation, TransformerDecoderInput, TransformerDecoderLayer,
    TransformerDecoderLayerAutoregressiveCache,
};
use crate::attention::MhaCache;
use crate::display::one_line;
use crate::{Initializer, LayerNorm};
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// The name of the layer in errors.
const NAME: &str = "transformer_decoder";

/// Options of [`TransformerDecoder`].
#[derive(Config, Debug)]
pub struct TransformerDecoderConfig {
    /// Embedding dimension, of the memory too.
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
    /// Whether norms are before attentions and feed-forward network (pre-norm), not after the sums
    /// (post-norm).
    #[config(default = false)]
    pub norm_first: bool,
    /// Whether a layer norm follows the last layer, as pre-norm decoders have it.
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
impl TransformerDecoderConfig {
    /// Returns the decoder, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<TransformerDecoder<B>, ConfigError> {
        let layer = self.layer();
        layer.validate(FieldCheck::of("TransformerDecoderConfig"), self.n_layers)?;
        Ok(TransformerDecoder {
            layers: (0..self.n_layers).map(|_| TransformerDecoderLayer::new(&layer, device)).collect(),
            norm: self.final_norm.then(|| layer.norm(device)),
        })
    }
}

impl TransformerDecoderConfig {
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

/// Transformer decoder (Vaswani et al. 2017): a stack of layers of self-attention, cross-attention to a
/// memory and feed-forward networks.
///
/// PyTorch: `torch.nn.TransformerDecoder` of `torch.nn.TransformerDecoderLayer(batch_first=True)`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::transformer::{TransformerDecoder, TransformerDecoderConfig, TransformerDecoderInput};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let decoder: TransformerDecoder<NdArray> = TransformerDecoderConfig::new(32, 64, 4, 2).init(&device);
/// let (target, memory) = (Tensor::ones([2, 5, 32], &device), Tensor::ones([2, 7, 32], &device));
/// let y = decoder.forward(TransformerDecoderInput::new(target.clone(), memory.clone()).causal());
///
/// let mut cache = decoder.new_autoregressive_cache(5);
/// for (token, y) in y.iter_dim(1).enumerate() {
///     let x = TransformerDecoderInput::new(target.clone().narrow(1, token, 1), memory.clone());
///     let decoded = decoder.forward_autoregressive_inference(x, &mut cache);
///     assert!(decoded.all_close(y, None, Some(1e-5)));
/// }
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct TransformerDecoder<B: Backend> {
    /// The layers, in order.
    pub layers: Vec<TransformerDecoderLayer<B>>,
    /// Norm after the last layer.
    pub norm: Option<LayerNorm<B>>,
}

/// Keys and values of the layers of a [`TransformerDecoder`].
#[derive(Clone, Debug)]
pub struct TransformerDecoderAutoregressiveCache<B: Backend> {
    /// The caches of each layer.
    pub layers: Vec<TransformerDecoderLayerAutoregressiveCache<B>>,
}

impl<B: Backend> TransformerDecoder<B> {
    /// Returns an empty cache for targets of at most `capacity` positions.
    pub fn new_autoregressive_cache(&self, capacity: usize) -> TransformerDecoderAutoregressiveCache<B> {
        let caches = self.layers.iter().map(|_| TransformerDecoderLayerAutoregressiveCache {
            self_attn: MhaCache::autoregressive(capacity),
            cross_attn: MhaCache::autoregressive_cross_attention(),
        });
        TransformerDecoderAutoregressiveCache { layers: caches.collect() }
    }

    fn finish(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        match &self.norm {
            Some(norm) => norm.forward(x),
            None => x,
        }
    }

    fn check(&self, input: &TransformerDecoderInput<B>) -> Result<(), TensorError> {
        self.layers.first().map_or(Ok(()), |layer| layer.check(NAME, input))
    }
}

#[fallible(layer)]
impl<B: Backend> TransformerDecoder<B> {
    /// Decodes the embeddings of the target: `[batch, length, d_model]` to the same shape.
    ///
    /// # Errors
    /// Target, memory or a mask have another shape.
    pub fn try_forward(&self, input: TransformerDecoderInput<B>) -> Result<Tensor<B, 3>, TensorError> {
        try_in_operation(NAME, || {
            let mut input = input;
            self.check(&input)?;
            let heads = self.layers.first().map_or(1, |layer| layer.self_attn.n_heads);
            let ([batch, length, _], [_, memory_length, _]) = (input.target.dims(), input.memory.dims());
            input.target_masks = input.target_masks.merged_for(NAME, [batch, heads, length, length])?;
            input.memory_masks =
                input.memory_masks.merged_for(NAME, [batch, heads, length, memory_length])?;
            let mut x = input.target.clone();
            for layer in &self.layers {
                x = layer.run(x, &input, None)?;
            }
            Ok(self.finish(x))
        })
    }

    /// Decodes the next positions of a target, `[batch, new, d_model]` to the same shape, with causal
    /// attention to the positions of earlier calls, which are in `cache`, and among the new ones. Only new
    /// positions are given. The first call projects the memory to keys and values, later calls find these in
    /// `cache`.
    ///
    /// # Errors
    /// Target, memory or a mask have another shape, the cache is of another model or batch size, the
    /// positions do not fit its capacity, or the call begins with the positions that are cached, as a growing
    /// prefix does.
    pub fn try_forward_autoregressive_inference(
        &self,
        input: TransformerDecoderInput<B>,
        cache: &mut TransformerDecoderAutoregressiveCache<B>,
    ) -> Result<Tensor<B, 3>, TensorError> {
        try_in_operation(NAME, || {
            let mut input = input;
            self.check(&input)?;
            check_layers(NAME, cache.layers.len(), self.layers.len())?;
            input.target_masks.causal = true;
            let mut x = input.target.clone();
            for (layer, cache) in self.layers.iter().zip(&mut cache.layers) {
                x = layer.run(x, &input, Some(cache))?;
            }
            Ok(self.finish(x))
        })
    }
}

impl<B: Backend> ModuleDisplay for TransformerDecoder<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let content = content.add("n_layers", &self.layers.len());
        let Some(layer) = self.layers.first() else { return content.optional() };
        let [d_model, d_ff] = layer.pwff.linear_inner.weight.dims();
        content
            .add("d_model", &d_model)
            .add("d_ff", &d_ff)
            .add("n_heads", &layer.self_attn.n_heads)
            .add("dropout", &layer.dropout.prob)
            .add("norm_first", &layer.norm_first)
            .add("final_norm", &self.norm.is_some())
            .optional()
    }
}
