//! A language model.

use burn::backend::NdArray;

// ANCHOR: language_model
use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn::nn::{Embedding, EmbeddingConfig, Linear, LinearConfig, RotaryEncoding, RotaryEncodingConfig};
use burn::prelude::*;

/// Decoder-only transformer: the logits of the next token at each position.
#[derive(Module, Debug)]
pub struct LanguageModel<B: Backend> {
    embedding: Embedding<B>,
    positions: RotaryEncoding<B>,
    transformer: TransformerEncoder<B>,
    output: Linear<B>,
}

impl<B: Backend> LanguageModel<B> {
    pub fn new(vocabulary_size: usize, device: &B::Device) -> Self {
        let (d_model, n_heads) = (32, 4);
        let transformer = TransformerEncoderConfig::new(d_model, 64, n_heads, 2)
            .with_norm_first(true)
            .with_final_norm(true);
        LanguageModel {
            embedding: EmbeddingConfig::new(vocabulary_size, d_model).init(device),
            positions: RotaryEncodingConfig::new(256, d_model / n_heads).init(device),
            transformer: transformer.init(device),
            output: LinearConfig::new(d_model, vocabulary_size).init(device),
        }
    }

    /// All positions at once, for training: `[batch, length]` to `[batch, length, vocabulary_size]`.
    pub fn forward(&self, tokens: Tensor<B, 2, Int>) -> Tensor<B, 3> {
        let x = self.embedding.forward(tokens);
        let input = TransformerEncoderInput::new(x).rotary(&self.positions).causal();
        self.output.forward(self.transformer.forward(input))
    }
}
// ANCHOR_END: language_model

// ANCHOR: decoding
impl<B: Backend> LanguageModel<B> {
    /// Appends the most probable tokens, one after the other: `[batch, length]` to `[batch, length + count]`.
    pub fn generate(&self, prompt: Tensor<B, 2, Int>, count: usize) -> Tensor<B, 2, Int> {
        let [_, length] = prompt.dims();
        let mut cache = self.transformer.new_autoregressive_cache(length + count);
        let (mut tokens, mut next) = (vec![prompt.clone()], prompt);
        for _ in 0..count {
            // Only the new tokens: the keys and values of earlier ones are in the cache.
            let x = self.embedding.forward(next);
            let input = TransformerEncoderInput::new(x).rotary(&self.positions);
            let y = self.transformer.forward_autoregressive_inference(input, &mut cache);
            let logits = self.output.forward(y.slice(s![.., -1]));
            next = logits.argmax(2).squeeze_dim(2);
            tokens.push(next.clone());
        }
        Tensor::cat(tokens, 1)
    }
}
// ANCHOR_END: decoding

#[test]
fn decoding_with_a_cache_is_decoding_of_the_whole_sequence() {
    let device = Default::default();
    let model: LanguageModel<NdArray<f64>> = LanguageModel::new(11, &device);
    let prompt = Tensor::<NdArray<f64>, 2, Int>::from_data([[1, 2, 3], [10, 0, 4]], &device);
    let generated = model.generate(prompt.clone(), 4);
    let mut expected = prompt;
    for _ in 0..4 {
        let logits = model.forward(expected.clone()).slice(s![.., -1]);
        expected = Tensor::cat(vec![expected, logits.argmax(2).squeeze_dim(2)], 1);
    }
    assert_eq!(generated.into_data(), expected.into_data());
}
