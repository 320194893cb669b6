use crate::RotaryEncoding;
use crate::attention::Masks;
use burn_core::tensor::{Backend, Bool, Tensor};

/// Input of [`TransformerEncoder`](super::TransformerEncoder): embeddings and masks.
///
/// Boolean masks are `true` where a position is hidden, as those of `torch.nn.TransformerEncoder`.
#[derive(Clone, Debug)]
pub struct TransformerEncoderInput<B: Backend> {
    pub(super) tensor: Tensor<B, 3>,
    pub(super) masks: Masks<B>,
    pub(super) rotary: Option<RotaryEncoding<B>>,
}

impl<B: Backend> TransformerEncoderInput<B> {
    /// Creates an input of embeddings, `[batch, length, d_model]`.
    pub fn new(tensor: Tensor<B, 3>) -> Self {
        TransformerEncoderInput { tensor, masks: Masks::default(), rotary: None }
    }

    /// Sets the padding mask, `[batch, length]`: `true` where there is padding. With a cache it covers the
    /// positions of the call. PyTorch: `src_key_padding_mask`.
    #[must_use]
    pub fn mask_pad(mut self, mask: Tensor<B, 2, Bool>) -> Self {
        self.masks.pad = Some(mask);
        self
    }

    /// Sets the attention mask, `[batch, length, length]` or `[1, length, length]`: `true` where a position
    /// (row) does not attend to another (column). With a cache the columns are all positions so far. PyTorch:
    /// a boolean `mask`.
    #[must_use]
    pub fn mask_attn(mut self, mask: Tensor<B, 3, Bool>) -> Self {
        self.masks.attn = Some(mask);
        self
    }

    /// Sets the additive mask, such as a position bias, which broadcasts to `[batch, n_heads, length,
    /// length]`. PyTorch: a `mask` of floats.
    #[must_use]
    pub fn mask_add(mut self, mask: Tensor<B, 4>) -> Self {
        self.masks.add = Some(mask);
        self
    }

    /// Makes the attention causal: a position attends to itself and to earlier ones. PyTorch: `is_causal`.
    #[must_use]
    pub fn causal(mut self) -> Self {
        self.masks.causal = true;
        self
    }

    /// Rotates the queries and keys of every layer by their positions.
    #[must_use]
    pub fn rotary(mut self, rotary: &RotaryEncoding<B>) -> Self {
        self.rotary = Some(rotary.clone());
        self
    }
}
