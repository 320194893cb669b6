//! Attention of heads: the fused operation, or its steps where the weights themselves are needed.

use crate::Dropout;
use burn_core::tensor::activation::softmax;
use burn_core::tensor::module::{AttentionMask, AttentionOptions, try_attention};
use burn_core::tensor::{Backend, Tensor, TensorError};

/// Heads of query, key and value, `[batch, heads, length, size]`.
pub struct Heads<B: Backend> {
    pub query: Tensor<B, 4>,
    pub key: Tensor<B, 4>,
    pub value: Tensor<B, 4>,
}

impl<B: Backend> Heads<B> {
    /// Computes attention without materializing its weights.
    pub fn attend(self, mask: Option<AttentionMask<B>>, causal: bool) -> Result<Tensor<B, 4>, TensorError> {
        let options = AttentionOptions { causal, scale: None };
        try_attention(self.query, self.key, self.value, mask, options)
    }

    /// Computes attention by its weights, after `dropout`, and returns both.
    pub fn attend_by_weights(
        self,
        mask: Option<AttentionMask<B>>,
        dropout: &Dropout,
    ) -> (Tensor<B, 4>, Tensor<B, 4>) {
        let ([batch, heads, queries, size], [_, key_heads, keys, _]) = (self.query.dims(), self.key.dims());
        // The rows of all heads that share a key head are one matrix.
        let rows = heads / key_heads * queries;
        let query = self.query * (1.0 / libm::sqrt(size as f64));
        let query = query.reshape([batch, key_heads, rows, size]);
        let scores = query.matmul(self.key.transpose()).reshape([batch, heads, queries, keys]);
        let weights = dropout.forward(weights(scores, mask));
        let grouped = weights.clone().reshape([batch, key_heads, rows, keys]);
        let size_out = self.value.dims()[3];
        (grouped.matmul(self.value).reshape([batch, heads, queries, size_out]), weights)
    }
}

/// The softmax of each row, zeros where a query attends to no key, as in the fused operation.
fn weights<B: Backend>(scores: Tensor<B, 4>, mask: Option<AttentionMask<B>>) -> Tensor<B, 4> {
    let scores = match mask {
        None => return softmax(scores, 3),
        Some(AttentionMask::Hide(hidden)) => scores.mask_fill(hidden, f64::NEG_INFINITY),
        Some(AttentionMask::Add(added)) => scores + added,
    };
    let blind = scores.clone().detach().max_dim(3).equal_elem(f64::NEG_INFINITY);
    softmax(scores.mask_fill(blind.clone(), 0.0), 3).mask_fill(blind, 0.0)
}
