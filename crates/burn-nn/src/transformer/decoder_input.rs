use crate::RotaryEncoding;
use crate::attention::Masks;
use burn_core::tensor::{Backend, Bool, Tensor};

/// Input of [`TransformerDecoder`](super::TransformerDecoder): the embeddings of the target, the memory, and
/// masks.
///
/// Boolean masks are `true` where a position is hidden, as those of `torch.nn.TransformerDecoder`.
#[derive(Clone, Debug)]
pub struct TransformerDecoderInput<B: Backend> {
    pub(super) target: Tensor<B, 3>,
    pub(super) memory: Tensor<B, 3>,
    pub(super) target_masks: Masks<B>,
    pub(super) memory_masks: Masks<B>,
    pub(super) rotary: Option<RotaryEncoding<B>>,
}

impl<B: Backend> TransformerDecoderInput<B> {
    /// Embeddings of the target, `[batch, length, d_model]`, and the memory, `[batch, memory_length,
    /// d_model]`: the output of an encoder.
    pub fn new(target: Tensor<B, 3>, memory: Tensor<B, 3>) -> Self {
        let (target_masks, memory_masks) = (Masks::default(), Masks::default());
        TransformerDecoderInput { target, memory, target_masks, memory_masks, rotary: None }
    }

    /// Sets the padding mask of the target, `[batch, length]`: `true` where there is padding. With a cache it
    /// covers the positions of the call. PyTorch: `tgt_key_padding_mask`.
    #[must_use]
    pub fn target_mask_pad(mut self, mask: Tensor<B, 2, Bool>) -> Self {
        self.target_masks.pad = Some(mask);
        self
    }

    /// Sets the attention mask of the target, `[batch, length, length]` or `[1, length, length]`: `true`
    /// where a position (row) does not attend to another (column). With a cache the columns are all positions
    /// so far. PyTorch: a boolean `tgt_mask`.
    #[must_use]
    pub fn target_mask_attn(mut self, mask: Tensor<B, 3, Bool>) -> Self {
        self.target_masks.attn = Some(mask);
        self
    }

    /// Sets the additive mask of the target, which broadcasts to `[batch, n_heads, length, length]`. PyTorch:
    /// a `tgt_mask` of floats.
    #[must_use]
    pub fn target_mask_add(mut self, mask: Tensor<B, 4>) -> Self {
        self.target_masks.add = Some(mask);
        self
    }

    /// Makes the self-attention causal: a position attends to itself and to earlier ones. PyTorch:
    /// `tgt_is_causal`.
    #[must_use]
    pub fn causal(mut self) -> Self {
        self.target_masks.causal = true;
        self
    }

    /// Sets the padding mask of the memory, `[batch, memory_length]`: `true` where there is padding. PyTorch:
    /// `memory_key_padding_mask`.
    #[must_use]
    pub fn memory_mask_pad(mut self, mask: Tensor<B, 2, Bool>) -> Self {
        self.memory_masks.pad = Some(mask);
        self
    }

    /// Sets the attention mask of the memory, `[batch, length, memory_length]` or `[1, length,
    /// memory_length]`. PyTorch: a boolean `memory_mask`.
    #[must_use]
    pub fn memory_mask_attn(mut self, mask: Tensor<B, 3, Bool>) -> Self {
        self.memory_masks.attn = Some(mask);
        self
    }

    /// Sets the additive mask of the memory, which broadcasts to `[batch, n_heads, length, memory_length]`.
    /// PyTorch: a `memory_mask` of floats.
    #[must_use]
    pub fn memory_mask_add(mut self, mask: Tensor<B, 4>) -> Self {
        self.memory_masks.add = Some(mask);
        self
    }

    /// Rotates the queries and keys of every self-attention by their positions.
    #[must_use]
    pub fn rotary(mut self, rotary: &RotaryEncoding<B>) -> Self {
        self.rotary = Some(rotary.clone());
        self
    }
}
