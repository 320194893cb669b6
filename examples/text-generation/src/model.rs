//! The network and its steps.

use crate::sequence::SequenceBatch;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::transformer::{
    TransformerEncoder, TransformerEncoderAutoregressiveCache, TransformerEncoderConfig,
    TransformerEncoderInput,
};
use burn::nn::{
    Dropout, DropoutConfig, Embedding, EmbeddingConfig, Linear, LinearConfig, PositionalEncoding,
    PositionalEncodingConfig,
};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use burn::train::{ClassificationOutput, TrainOutput, TrainStep, ValidStep};

/// Sizes of a [`LanguageModel`].
#[derive(Config, Debug)]
pub struct LanguageModelConfig {
    /// Vocabulary size.
    pub vocabulary: usize,
    /// Largest sequence length.
    pub context: usize,
    /// The transformer.
    pub transformer: TransformerEncoderConfig,
}

/// A decoder-only transformer: self-attention to earlier positions alone.
#[derive(Module, Debug)]
pub struct LanguageModel<B: Backend> {
    embedding: Embedding<B>,
    positions: PositionalEncoding<B>,
    transformer: TransformerEncoder<B>,
    dropout: Dropout,
    output: Linear<B>,
}

impl LanguageModelConfig {
    /// Returns the model, on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> LanguageModel<B> {
        let width = self.transformer.d_model;
        LanguageModel {
            embedding: EmbeddingConfig::new(self.vocabulary, width).init(device),
            positions: PositionalEncodingConfig::new(width).with_max_sequence_size(self.context).init(device),
            transformer: self.transformer.init(device),
            dropout: DropoutConfig::new(self.transformer.dropout).init(),
            output: LinearConfig::new(width, self.vocabulary).init(device),
        }
    }
}

impl<B: Backend> LanguageModel<B> {
    // ANCHOR: forward
    /// Logits of the token after each position: `[batch, length]` to `[batch, length, vocabulary]`.
    pub fn forward(&self, tokens: Tensor<B, 2, Int>) -> Tensor<B, 3> {
        let x = self.dropout.forward(self.positions.forward(self.embedding.forward(tokens)));
        let x = self.transformer.forward(TransformerEncoderInput::new(x).causal());
        self.output.forward(x)
    }

    /// Logits of the token after the last of some more tokens: `[batch, new]` to `[batch, vocabulary]`. Keys
    /// and values of the `cache.layers[0].len()` tokens before are in the cache and not computed again.
    pub fn next(
        &self,
        tokens: Tensor<B, 2, Int>,
        cache: &mut TransformerEncoderAutoregressiveCache<B>,
    ) -> Tensor<B, 2> {
        let start = cache.layers.first().map_or(0, |layer| layer.len());
        let x = self.positions.apply(self.embedding.forward(tokens), start);
        let input = TransformerEncoderInput::new(x);
        let x = self.transformer.forward_autoregressive_inference(input, cache);
        let last = x.dims()[1] - 1;
        self.output.forward(x.narrow(1, last, 1)).squeeze_dim(1)
    }
    // ANCHOR_END: forward

    /// Returns an empty cache for texts of at most `capacity` tokens.
    pub fn new_cache(&self, capacity: usize) -> TransformerEncoderAutoregressiveCache<B> {
        self.transformer.new_autoregressive_cache(capacity)
    }

    fn predict(&self, batch: SequenceBatch<B>) -> ClassificationOutput<B> {
        let output = self.forward(batch.tokens).flatten::<2>(0, 1);
        let next = batch.next.flatten::<1>(0, 1);
        let loss = CrossEntropyLossConfig::new().init(&output.device());
        ClassificationOutput::new(loss.forward(output.clone(), next.clone()), output, next)
    }
}

impl<B: AutodiffBackend> TrainStep<SequenceBatch<B>, ClassificationOutput<B>> for LanguageModel<B> {
    fn step(&self, batch: SequenceBatch<B>) -> TrainOutput<ClassificationOutput<B>> {
        let item = self.predict(batch);
        TrainOutput::from_loss(self, item.loss.clone(), item)
    }
}

impl<B: Backend> ValidStep<SequenceBatch<B>, ClassificationOutput<B>> for LanguageModel<B> {
    fn step(&self, batch: SequenceBatch<B>) -> ClassificationOutput<B> {
        self.predict(batch)
    }
}
