//! Sizes of the model.

use burn::lm::{LanguageModelConfig, NormKind};
use burn::nn::transformer::FeedForwardActivation;

/// Number of blocks, embedding dimension and number of heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSize {
    pub n_layers: usize,
    pub d_model: usize,
    pub n_heads: usize,
}

impl ModelSize {
    /// 124 million parameters with a vocabulary of 50,257 tokens: the small one of the paper.
    pub const GPT2_124M: ModelSize = ModelSize { n_layers: 12, d_model: 768, n_heads: 12 };
    /// 355 million parameters.
    pub const GPT2_355M: ModelSize = ModelSize { n_layers: 24, d_model: 1024, n_heads: 16 };
    /// 10 million parameters beside the embeddings.
    pub const MINI: ModelSize = ModelSize { n_layers: 6, d_model: 384, n_heads: 6 };
    /// 0.8 million parameters beside the embeddings, which a CPU trains in minutes.
    pub const TINY: ModelSize = ModelSize { n_layers: 4, d_model: 128, n_heads: 4 };

    /// Returns the configuration of GPT-2: learned positions, layer norm before each part, biases everywhere,
    /// and a projection to logits that is the transposed embedding matrix.
    pub fn config(self, vocabulary_size: usize, context_length: usize, dropout: f64) -> LanguageModelConfig {
        let ModelSize { n_layers, d_model, n_heads } = self;
        LanguageModelConfig::new(vocabulary_size, d_model, n_layers, n_heads, 4 * d_model)
            .with_context_length(context_length)
            .with_norm(NormKind::Layer)
            .with_activation(FeedForwardActivation::GeluTanh)
            .with_gated(false)
            .with_attention_bias(true)
            .with_output_bias(true)
            .with_feed_forward_bias(true)
            .with_learned_positions(true)
            .with_rope(None)
            .with_tied_embeddings(true)
            .with_dropout(dropout)
    }
}
