use super::layer_config::LayerConfig;
use super::sublayer::{Sublayer, check_width};
use super::{PositionWiseFeedForward, TransformerDecoderInput};
use crate::attention::{MhaCache, MhaInput, MultiHeadAttention};
use crate::{Dropout, DropoutConfig, LayerNorm};
use burn_core::module::Module;
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Name of the layer in errors.
const NAME: &str = "transformer_decoder_layer";

/// Layer of a [`TransformerDecoder`](super::TransformerDecoder): self-attention, cross-attention to the
/// memory and a feed-forward network, each with a residual connection and a layer norm.
///
/// PyTorch: `torch.nn.TransformerDecoderLayer(batch_first=True)`.
#[derive(Module, Debug)]
pub struct TransformerDecoderLayer<B: Backend> {
    /// Self-attention of the target.
    pub self_attn: MultiHeadAttention<B>,
    /// Cross-attention of the target to the memory.
    pub cross_attn: MultiHeadAttention<B>,
    /// Feed-forward network.
    pub pwff: PositionWiseFeedForward<B>,
    /// Norm of the self-attention.
    pub norm_1: LayerNorm<B>,
    /// Norm of the cross-attention.
    pub norm_2: LayerNorm<B>,
    /// Norm of the feed-forward network.
    pub norm_3: LayerNorm<B>,
    /// Dropout of the results of the attentions and the feed-forward network.
    pub dropout: Dropout,
    /// Whether the norms are before attentions and feed-forward network, not after the sums.
    pub norm_first: bool,
}

/// Keys and values of the two attentions of a [`TransformerDecoderLayer`].
#[derive(Clone, Debug)]
pub struct TransformerDecoderLayerAutoregressiveCache<B: Backend> {
    /// Keys and values of the target.
    pub self_attn: MhaCache<B>,
    /// Keys and values of the memory.
    pub cross_attn: MhaCache<B>,
}

impl<B: Backend> TransformerDecoderLayer<B> {
    pub(super) fn new(config: &LayerConfig<'_>, device: &B::Device) -> Self {
        TransformerDecoderLayer {
            self_attn: config.attention(device),
            cross_attn: config.attention(device),
            pwff: config.feed_forward(device),
            norm_1: config.norm(device),
            norm_2: config.norm(device),
            norm_3: config.norm(device),
            dropout: DropoutConfig::new(config.dropout).init(),
            norm_first: config.norm_first,
        }
    }

    /// Applies the layer to `x` in place of the target of `input`.
    #[track_caller]
    pub(super) fn run(
        &self,
        x: Tensor<B, 3>,
        input: &TransformerDecoderInput<B>,
        mut cache: Option<&mut TransformerDecoderLayerAutoregressiveCache<B>>,
    ) -> Result<Tensor<B, 3>, TensorError> {
        let sublayer = |norm| Sublayer { norm, dropout: &self.dropout, norm_first: self.norm_first };
        try_in_operation(NAME, || {
            let x = sublayer(&self.norm_1).apply(x, &mut |x| {
                let input = MhaInput::self_attn(x).with(input.target_masks.clone(), input.rotary.clone());
                let cache = cache.as_deref_mut().map(|cache| &mut cache.self_attn);
                Ok(self.self_attn.attend(input, cache)?.context)
            })?;
            let x = sublayer(&self.norm_2).apply(x, &mut |x| {
                let memory = input.memory.clone();
                let input = MhaInput::new(x, memory.clone(), memory).with(input.memory_masks.clone(), None);
                let cache = cache.as_deref_mut().map(|cache| &mut cache.cross_attn);
                Ok(self.cross_attn.attend(input, cache)?.context)
            })?;
            sublayer(&self.norm_3).apply(x, &mut |x| Ok(self.pwff.forward(x)))
        })
    }

    /// Whether target and memory have the width of the layer.
    pub(super) fn check(
        &self,
        name: &'static str,
        input: &TransformerDecoderInput<B>,
    ) -> Result<(), TensorError> {
        let d_model = self.self_attn.query.weight.dims()[0];
        check_width(name, "target", input.target.dims(), d_model)?;
        check_width(name, "memory", input.memory.dims(), d_model)
    }
}

#[fallible(layer)]
impl<B: Backend> TransformerDecoderLayer<B> {
    /// Applies the layer to the embeddings of the target: `[batch, length, d_model]` to the same shape.
    ///
    /// # Errors
    /// Target, memory or a mask have another shape.
    pub fn try_forward(&self, input: TransformerDecoderInput<B>) -> Result<Tensor<B, 3>, TensorError> {
        self.check(NAME, &input)?;
        self.run(input.target.clone(), &input, None)
    }
}
