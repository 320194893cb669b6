use super::layer_config::LayerConfig;
use super::sublayer::Sublayer;
use super::{PositionWiseFeedForward, TransformerEncoderInput};
use crate::attention::{Masks, MhaCache, MhaInput, MultiHeadAttention};
use crate::{Dropout, DropoutConfig, LayerNorm, RotaryEncoding};
use burn_core::module::Module;
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// Layer of a [`TransformerEncoder`](super::TransformerEncoder): self-attention and a feed-forward network,
/// each with a residual connection and a layer norm.
///
/// PyTorch: `torch.nn.TransformerEncoderLayer(batch_first=True)`.
#[derive(Module, Debug)]
pub struct TransformerEncoderLayer<B: Backend> {
    /// Self-attention.
    pub mha: MultiHeadAttention<B>,
    /// Feed-forward network.
    pub pwff: PositionWiseFeedForward<B>,
    /// Norm of the self-attention.
    pub norm_1: LayerNorm<B>,
    /// Norm of the feed-forward network.
    pub norm_2: LayerNorm<B>,
    /// Dropout of the results of self-attention and feed-forward network.
    pub dropout: Dropout,
    /// Whether the norms are before self-attention and feed-forward network, not after the sums.
    pub norm_first: bool,
}

impl<B: Backend> TransformerEncoderLayer<B> {
    pub(super) fn new(config: &LayerConfig<'_>, device: &B::Device) -> Self {
        TransformerEncoderLayer {
            mha: config.attention(device),
            pwff: config.feed_forward(device),
            norm_1: config.norm(device),
            norm_2: config.norm(device),
            dropout: DropoutConfig::new(config.dropout).init(),
            norm_first: config.norm_first,
        }
    }

    #[track_caller]
    pub(super) fn run(
        &self,
        x: Tensor<B, 3>,
        masks: &Masks<B>,
        rotary: Option<&RotaryEncoding<B>>,
        mut cache: Option<&mut MhaCache<B>>,
    ) -> Result<Tensor<B, 3>, TensorError> {
        let sublayer = |norm| Sublayer { norm, dropout: &self.dropout, norm_first: self.norm_first };
        try_in_operation("transformer_encoder_layer", || {
            let x = sublayer(&self.norm_1).apply(x, &mut |x| {
                let input = MhaInput::self_attn(x).with(masks.clone(), rotary.cloned());
                Ok(self.mha.attend(input, cache.as_deref_mut())?.context)
            })?;
            sublayer(&self.norm_2).apply(x, &mut |x| Ok(self.pwff.forward(x)))
        })
    }
}

#[fallible(layer)]
impl<B: Backend> TransformerEncoderLayer<B> {
    /// Applies the layer to embeddings: `[batch, length, d_model]` to the same shape.
    ///
    /// # Errors
    /// The embeddings or a mask have another shape.
    pub fn try_forward(&self, input: TransformerEncoderInput<B>) -> Result<Tensor<B, 3>, TensorError> {
        let TransformerEncoderInput { tensor, masks, rotary } = input;
        super::sublayer::check_width(
            "transformer_encoder_layer",
            "input",
            tensor.dims(),
            self.mha.query.weight.dims()[0],
        )?;
        self.run(tensor, &masks, rotary.as_ref(), None)
    }
}
