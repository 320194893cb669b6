//! The network and its steps.

use crate::batch::TextBatch;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn::nn::{
    Dropout, DropoutConfig, Embedding, EmbeddingConfig, Linear, LinearConfig, PositionalEncoding,
    PositionalEncodingConfig,
};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use burn::train::{ClassificationOutput, TrainOutput, TrainStep, ValidStep};

/// Sizes of a [`TextClassifier`].
#[derive(Config, Debug)]
pub struct TextClassifierConfig {
    /// Vocabulary size.
    pub vocabulary: usize,
    /// Number of classes.
    pub classes: usize,
    /// Largest sequence length.
    pub longest: usize,
    /// The transformer.
    pub encoder: TransformerEncoderConfig,
}

/// Embeddings of tokens and positions, a transformer encoder, and a linear layer over the mean of the tokens.
#[derive(Module, Debug)]
pub struct TextClassifier<B: Backend> {
    embedding: Embedding<B>,
    positions: PositionalEncoding<B>,
    encoder: TransformerEncoder<B>,
    dropout: Dropout,
    output: Linear<B>,
}

impl TextClassifierConfig {
    /// Returns the model, on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> TextClassifier<B> {
        let width = self.encoder.d_model;
        TextClassifier {
            embedding: EmbeddingConfig::new(self.vocabulary, width).init(device),
            positions: PositionalEncodingConfig::new(width).with_max_sequence_size(self.longest).init(device),
            encoder: self.encoder.init(device),
            dropout: DropoutConfig::new(self.encoder.dropout).init(),
            output: LinearConfig::new(width, self.classes).init(device),
        }
    }
}

impl<B: Backend> TextClassifier<B> {
    // ANCHOR: forward
    /// Scores for each class: tokens and padding mask, `[batch, length]`, to `[batch, classes]`.
    pub fn forward(&self, tokens: Tensor<B, 2, Int>, padding: Tensor<B, 2, Bool>) -> Tensor<B, 2> {
        let x = self.dropout.forward(self.positions.forward(self.embedding.forward(tokens)));
        let x = self.encoder.forward(TransformerEncoderInput::new(x).mask_pad(padding.clone()));
        // The mean over the positions that have a token, `[batch, width]`.
        let present = padding.bool_not().float().unsqueeze_dim::<3>(2);
        let mean = (x * present.clone()).sum_dim(1) / present.sum_dim(1);
        self.output.forward(self.dropout.forward(mean.squeeze_dim::<2>(1)))
    }
    // ANCHOR_END: forward

    fn classify(&self, batch: TextBatch<B>) -> ClassificationOutput<B> {
        let output = self.forward(batch.tokens, batch.padding);
        let loss = CrossEntropyLossConfig::new().init(&output.device());
        ClassificationOutput::new(loss.forward(output.clone(), batch.labels.clone()), output, batch.labels)
    }
}

impl<B: AutodiffBackend> TrainStep<TextBatch<B>, ClassificationOutput<B>> for TextClassifier<B> {
    fn step(&self, batch: TextBatch<B>) -> TrainOutput<ClassificationOutput<B>> {
        let item = self.classify(batch);
        TrainOutput::from_loss(self, item.loss.clone(), item)
    }
}

impl<B: Backend> ValidStep<TextBatch<B>, ClassificationOutput<B>> for TextClassifier<B> {
    fn step(&self, batch: TextBatch<B>) -> ClassificationOutput<B> {
        self.classify(batch)
    }
}
