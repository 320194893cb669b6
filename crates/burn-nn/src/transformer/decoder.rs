use super::layer_config::LayerConfig;
use super::stack::{add_settings, norm};
use super::stack_config::stack_config;
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

stack_config! {
    TransformerDecoder, TransformerDecoderConfig, TransformerDecoderLayer, ", of the memory too", "attentions"
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
            Ok(norm(self.norm.as_ref(), x))
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
            Ok(norm(self.norm.as_ref(), x))
        })
    }
}

impl<B: Backend> ModuleDisplay for TransformerDecoder<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let first = self.layers.first().map(|x| (&x.pwff, x.self_attn.n_heads, &x.dropout, x.norm_first));
        add_settings(content, self.layers.len(), first, self.norm.is_some())
    }
}
