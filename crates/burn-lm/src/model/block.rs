use super::attention::{CausalAttention, KeySource};
use super::feed_forward::FeedForward;
use super::rotary::RotaryRows;
use crate::LmError;
use crate::config::BlockLayout;
use burn_core::module::{Ignored, Module};
use burn_core::tensor::{Backend, Tensor};
use burn_nn::{Dropout, Normalization};

/// Block of a decoder-only transformer: attention and a feed-forward network with residual connections.
#[derive(Module, Debug)]
pub struct DecoderBlock<B: Backend> {
    /// Norm before attention; with [`BlockLayout::Parallel`] before the feed-forward network too.
    pub attention_norm: Normalization<B>,
    /// Causal self-attention.
    pub attention: CausalAttention<B>,
    /// Norm of what attention adds.
    pub attention_post_norm: Option<Normalization<B>>,
    /// Norm before the feed-forward network.
    pub feed_forward_norm: Option<Normalization<B>>,
    /// Feed-forward network.
    pub feed_forward: FeedForward<B>,
    /// Norm of what the feed-forward network adds.
    pub feed_forward_post_norm: Option<Normalization<B>>,
    /// Dropout of what attention and the feed-forward network add, in training.
    pub dropout: Dropout,
    /// Order of the parts.
    pub layout: Ignored<BlockLayout>,
}

impl<B: Backend> DecoderBlock<B> {
    pub(crate) fn forward(
        &self,
        x: Tensor<B, 2>,
        rotary: Option<&RotaryRows<B>>,
        keys: &mut KeySource<'_, B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        let normed = |norm: &Option<Normalization<B>>, x: Tensor<B, 2>| match norm {
            Some(norm) => norm.forward(x),
            None => x,
        };
        let y = self.attention_norm.forward(x.clone());
        if *self.layout == BlockLayout::Parallel {
            let attended = self.attention.forward(y.clone(), rotary, keys)?;
            return Ok(x + self.dropout.forward(attended + self.feed_forward.forward(y)));
        }
        let attended = normed(&self.attention_post_norm, self.attention.forward(y, rotary, keys)?);
        let x = x + self.dropout.forward(attended);
        let y = self.feed_forward.forward(normed(&self.feed_forward_norm, x.clone()));
        Ok(x + self.dropout.forward(normed(&self.feed_forward_post_norm, y)))
    }
}
