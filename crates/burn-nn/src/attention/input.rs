use super::Masks;
use crate::RotaryEncoding;
use burn_core::tensor::{Backend, Bool, Tensor};

/// Input of [`MultiHeadAttention`](super::MultiHeadAttention): query, key, value and masks.
///
/// Boolean masks are `true` where a key is hidden, as those of `torch.nn.MultiheadAttention`.
///
/// ```
/// use burn::nn::attention::{MhaInput, MultiHeadAttention};
/// use burn::tensor::{Bool, Tensor, backend::Backend};
/// fn decode<B: Backend>(layer: &MultiHeadAttention<B>, x: Tensor<B, 3>, pad: Tensor<B, 2, Bool>) -> Tensor<B, 3> {
///     layer.forward(MhaInput::self_attn(x).mask_pad(pad).causal()).context
/// }
/// ```
#[derive(Clone, Debug)]
pub struct MhaInput<B: Backend> {
    pub(super) query: Tensor<B, 3>,
    pub(super) key: Tensor<B, 3>,
    pub(super) value: Tensor<B, 3>,
    pub(super) masks: Masks<B>,
    pub(super) rotary: Option<RotaryEncoding<B>>,
    pub(super) weights: bool,
    /// Whether query, key and value are one tensor.
    pub(super) is_self: bool,
}

impl<B: Backend> MhaInput<B> {
    /// Creates the input of self-attention: query, key and value are `x`, `[batch, length, d_model]`.
    pub fn self_attn(x: Tensor<B, 3>) -> Self {
        MhaInput { is_self: true, ..Self::new(x.clone(), x.clone(), x) }
    }

    /// Creates the input of query `[batch, queries, d_model]`, key `[batch, keys, d_key]` and value `[batch,
    /// keys, d_value]`.
    pub fn new(query: Tensor<B, 3>, key: Tensor<B, 3>, value: Tensor<B, 3>) -> Self {
        MhaInput { query, key, value, masks: Masks::default(), rotary: None, weights: false, is_self: false }
    }

    /// Sets the padding mask, `[batch, keys]`: `true` where the key is padding. With a cache it covers the
    /// keys of this call; the cache keeps those of earlier calls. PyTorch: `key_padding_mask`.
    #[must_use]
    pub fn mask_pad(mut self, mask: Tensor<B, 2, Bool>) -> Self {
        self.masks.pad = Some(mask);
        self
    }

    /// Sets the attention mask, `[batch, queries, keys]` or `[1, queries, keys]`: `true` where a query does
    /// not attend to a key. With a cache, `keys` counts the cached keys too. PyTorch: a boolean `attn_mask`.
    #[must_use]
    pub fn mask_attn(mut self, mask: Tensor<B, 3, Bool>) -> Self {
        self.masks.attn = Some(mask);
        self
    }

    /// Sets the additive mask, such as a position bias: added to the scaled scores before the softmax. It has
    /// `keys` columns and broadcasts to `[batch, heads, queries, keys]`; gradients reach it. PyTorch: an
    /// `attn_mask` of floats.
    #[must_use]
    pub fn mask_add(mut self, mask: Tensor<B, 4>) -> Self {
        self.masks.add = Some(mask);
        self
    }

    /// Makes the attention causal: query `i` attends to the keys up to `i`, which needs no mask in memory.
    /// With a cache, positions count from the first cached key. PyTorch: `is_causal`.
    #[must_use]
    pub fn causal(mut self) -> Self {
        self.masks.causal = true;
        self
    }

    /// Rotates queries and keys by their positions, which start after the cached keys.
    #[must_use]
    pub fn rotary(mut self, rotary: &RotaryEncoding<B>) -> Self {
        self.rotary = Some(rotary.clone());
        self
    }

    /// Returns the attention weights too, for which the scores of all queries and keys are kept in memory.
    /// PyTorch: `need_weights`, without the mean over heads.
    #[must_use]
    pub fn need_weights(mut self) -> Self {
        self.weights = true;
        self
    }

    /// Replaces query, key and value by what `f` returns for them; in self-attention, `f` is called once.
    ///
    /// # Errors
    /// Those of `f`.
    #[doc(hidden)]
    pub fn try_map<E>(self, mut f: impl FnMut(Tensor<B, 3>) -> Result<Tensor<B, 3>, E>) -> Result<Self, E> {
        if self.is_self {
            let x = f(self.query)?;
            return Ok(MhaInput { query: x.clone(), key: x.clone(), value: x, ..self });
        }
        let [query, key, value] = [self.query, self.key, self.value].map(&mut f);
        Ok(MhaInput { query: query?, key: key?, value: value?, ..self })
    }

    pub(crate) fn with(mut self, masks: Masks<B>, rotary: Option<RotaryEncoding<B>>) -> Self {
        (self.masks, self.rotary) = (masks, rotary);
        self
    }
}

/// Output of [`MultiHeadAttention`](super::MultiHeadAttention).
#[derive(Clone, Debug)]
pub struct MhaOutput<B: Backend> {
    /// The result, `[batch, queries, d_model]`.
    pub context: Tensor<B, 3>,
    /// The attention weights, `[batch, n_heads, queries, keys]`, if
    /// [`need_weights`](MhaInput::need_weights) asked for them. In training they are those after the dropout.
    pub weights: Option<Tensor<B, 4>>,
}
