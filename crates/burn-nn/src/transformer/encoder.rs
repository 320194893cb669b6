use super::encoder_layer::TransformerEncoderLayer;
use super::layer_config::LayerConfig;
use super::stack::{add_settings, norm};
use super::stack_config::stack_config;
use super::sublayer::{check_layers, check_width};
use super::{FeedForwardActivation, TransformerEncoderInput};
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
const NAME: &str = "transformer_encoder";

stack_config! {
    TransformerEncoder, TransformerEncoderConfig, TransformerEncoderLayer, "", "self-attention"
}

/// Transformer encoder (Vaswani et al. 2017): a stack of layers of self-attention and feed-forward networks.
///
/// With [`causal`](TransformerEncoderInput::causal) attention it is the decoder-only transformer of language
/// models, which [`forward_autoregressive_inference`](Self::forward_autoregressive_inference) runs token by
/// token. Positions are the caller's: see [`PositionalEncoding`](crate::PositionalEncoding) and
/// [`RotaryEncoding`](crate::RotaryEncoding).
///
/// PyTorch: `torch.nn.TransformerEncoder` of `torch.nn.TransformerEncoderLayer(batch_first=True)`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let config = TransformerEncoderConfig::new(32, 64, 4, 2).with_norm_first(true).with_final_norm(true);
/// let encoder: TransformerEncoder<NdArray> = config.init(&device);
/// let x = Tensor::ones([2, 5, 32], &device);
/// let y = encoder.forward(TransformerEncoderInput::new(x.clone()).causal());
///
/// let mut cache = encoder.new_autoregressive_cache(5);
/// for (token, y) in y.iter_dim(1).enumerate() {
///     let x = TransformerEncoderInput::new(x.clone().narrow(1, token, 1));
///     let decoded = encoder.forward_autoregressive_inference(x, &mut cache);
///     assert!(decoded.all_close(y, None, Some(1e-5)));
/// }
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct TransformerEncoder<B: Backend> {
    /// The layers, in order.
    pub layers: Vec<TransformerEncoderLayer<B>>,
    /// Norm after the last layer.
    pub norm: Option<LayerNorm<B>>,
}

/// Keys and values of the layers of a [`TransformerEncoder`].
#[derive(Clone, Debug)]
pub struct TransformerEncoderAutoregressiveCache<B: Backend> {
    /// One cache per layer.
    pub layers: Vec<MhaCache<B>>,
}

impl<B: Backend> TransformerEncoder<B> {
    /// Returns an empty cache for sequences of at most `capacity` positions.
    pub fn new_autoregressive_cache(&self, capacity: usize) -> TransformerEncoderAutoregressiveCache<B> {
        let caches = self.layers.iter().map(|_| MhaCache::autoregressive(capacity));
        TransformerEncoderAutoregressiveCache { layers: caches.collect() }
    }

    fn check(&self, dims: [usize; 3]) -> Result<(), TensorError> {
        let d_model = self.layers.first().map_or(dims[2], |layer| layer.mha.query.weight.dims()[0]);
        check_width(NAME, "input", dims, d_model)
    }
}

#[fallible(layer)]
impl<B: Backend> TransformerEncoder<B> {
    /// Encodes embeddings: `[batch, length, d_model]` to the same shape.
    ///
    /// # Errors
    /// The embeddings or a mask have another shape.
    pub fn try_forward(&self, input: TransformerEncoderInput<B>) -> Result<Tensor<B, 3>, TensorError> {
        try_in_operation(NAME, || {
            let TransformerEncoderInput { tensor: mut x, masks, rotary } = input;
            self.check(x.dims())?;
            let [batch, length, _] = x.dims();
            let heads = self.layers.first().map_or(1, |layer| layer.mha.n_heads);
            let masks = masks.merged_for(NAME, [batch, heads, length, length])?;
            for layer in &self.layers {
                x = layer.run(x, &masks, rotary.as_ref(), None)?;
            }
            Ok(norm(self.norm.as_ref(), x))
        })
    }

    /// Encodes the next positions of a sequence, `[batch, new, d_model]` to the same shape, with causal
    /// attention to the positions of earlier calls, which are in `cache`, and among the new ones. Only new
    /// positions are given: the prompt in the first call, then one token at a time.
    ///
    /// # Errors
    /// The embeddings or a mask have another shape, the cache is of another model or batch size, the
    /// positions do not fit its capacity, or the call begins with the positions that are cached, as a growing
    /// prefix does.
    pub fn try_forward_autoregressive_inference(
        &self,
        input: TransformerEncoderInput<B>,
        cache: &mut TransformerEncoderAutoregressiveCache<B>,
    ) -> Result<Tensor<B, 3>, TensorError> {
        try_in_operation(NAME, || {
            let TransformerEncoderInput { tensor: mut x, mut masks, rotary } = input;
            self.check(x.dims())?;
            check_layers(NAME, cache.layers.len(), self.layers.len())?;
            masks.causal = true;
            for (layer, cache) in self.layers.iter().zip(&mut cache.layers) {
                x = layer.run(x, &masks, rotary.as_ref(), Some(cache))?;
            }
            Ok(norm(self.norm.as_ref(), x))
        })
    }
}

impl<B: Backend> ModuleDisplay for TransformerEncoder<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let first = self.layers.first().map(|x| (&x.pwff, x.mha.n_heads, &x.dropout, x.norm_first));
        add_settings(content, self.layers.len(), first, self.norm.is_some())
    }
}
