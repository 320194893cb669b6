//! Parts that stacks of encoder and decoder layers share.

use super::PositionWiseFeedForward;
use crate::{Dropout, LayerNorm};
use burn_core::module::Content;
use burn_core::tensor::{Backend, Tensor};

/// Applies the norm after the last layer, if there is one.
pub fn norm<B: Backend>(norm: Option<&LayerNorm<B>>, x: Tensor<B, 3>) -> Tensor<B, 3> {
    match norm {
        Some(norm) => norm.forward(x),
        None => x,
    }
}

/// Adds the settings that a stack prints: those of its first layer are its feed-forward network, number of
/// heads, dropout, and whether its norms come first.
pub fn add_settings<B: Backend>(
    content: Content,
    n_layers: usize,
    first: Option<(&PositionWiseFeedForward<B>, usize, &Dropout, bool)>,
    final_norm: bool,
) -> Option<Content> {
    let content = content.add("n_layers", &n_layers);
    let Some((feed_forward, heads, dropout, norm_first)) = first else { return content.optional() };
    let [d_model, d_ff] = feed_forward.linear_inner.weight.dims();
    content
        .add("d_model", &d_model)
        .add("d_ff", &d_ff)
        .add("n_heads", &heads)
        .add("dropout", &dropout.prob)
        .add("norm_first", &norm_first)
        .add("final_norm", &final_norm)
        .optional()
}
