//! Batches of padded token sequences.

use crate::tokenizer::{PAD, SubwordTokenizer};
use burn::data::dataloader::Batcher;
use burn::data::dataset::text::Article;
use burn::nn::attention::{GeneratePaddingMask, generate_padding_mask};
use burn::prelude::*;

/// Texts as tokens.
#[derive(Clone, Debug)]
pub struct TextBatch<B: Backend> {
    /// `[batch, length]`.
    pub tokens: Tensor<B, 2, Int>,
    /// `[batch, length]`: `true` where there is no token.
    pub padding: Tensor<B, 2, Bool>,
    /// The classes, `[batch]`.
    pub labels: Tensor<B, 1, Int>,
}

/// Makes batches on one device.
#[derive(Clone, Debug)]
pub struct TextBatcher<B: Backend> {
    pub tokenizer: SubwordTokenizer,
    /// The most tokens of a text; what comes after them is cut off.
    pub longest: usize,
    pub device: B::Device,
}

impl<B: Backend> TextBatcher<B> {
    /// Pads texts, each with its title, to the length of the longest.
    pub fn pad(&self, texts: &[(&str, &str)]) -> GeneratePaddingMask<B> {
        let encode = |(title, text): &(&str, &str)| {
            let tokens = self.tokenizer.encode(title, text, self.longest);
            // An empty text is one pad that is looked at: attention needs a key.
            if tokens.is_empty() { vec![PAD] } else { tokens }
        };
        generate_padding_mask(PAD, texts.iter().map(encode).collect(), None, &self.device)
    }
}

impl<B: Backend> Batcher<Article, TextBatch<B>> for TextBatcher<B> {
    fn batch(&self, articles: Vec<Article>) -> TextBatch<B> {
        let texts: Vec<_> =
            articles.iter().map(|article| (article.title.as_str(), article.text.as_str())).collect();
        let GeneratePaddingMask { tensor: tokens, mask: padding } = self.pad(&texts);
        let labels: Vec<i64> = articles.iter().map(|article| article.label as i64).collect();
        let labels = TensorData::new(labels, [articles.len()]);
        TextBatch { tokens, padding, labels: Tensor::from_data(labels, &self.device) }
    }
}
