use crate::{Bert, BertConfig};
use burn::config::Config;
use burn::tensor::{Backend, Bool, Int, Tensor, TensorData};
use burn::weights::{LoadReport, Strictness};
use burn_import::{LoadArgs, safetensors};
use std::path::Path;
use tokenizers::{PaddingParams, Tokenizer, TruncationParams};

/// Error of embedding sentences.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Maximum tokens of a sentence, as the model was trained.
const MAX_LENGTH: usize = 256;

/// A tokenizer and the model that takes its tokens.
#[derive(Debug)]
pub struct Embedder<B: Backend> {
    tokenizer: Tokenizer,
    model: Bert<B>,
}

impl<B: Backend> Embedder<B> {
    /// Loads the model in `folder`: `config.json`, `model.safetensors` and `tokenizer.json`.
    ///
    /// # Errors
    /// A file is not there, or is not that of a BERT.
    pub fn load(folder: &Path, device: &B::Device) -> Result<(Self, LoadReport), Error> {
        // ANCHOR: load
        let config = BertConfig::load(folder.join("config.json"))?;
        // Names of the file, and the fields of `TransformerEncoder`. The longer names come first.
        let args = LoadArgs::new(folder.join("model.safetensors"))
            .with_key_remap(r"^embeddings\.(word|position|token_type)_embeddings\.", "embeddings.$1.")
            .with_key_remap(r"^embeddings\.LayerNorm\.", "embeddings.norm.")
            .with_key_remap(r"^encoder\.layer\.(\d+)\.", "encoder.layers.$1.")
            .with_key_remap(r"\.attention\.self\.", ".mha.")
            .with_key_remap(r"\.attention\.output\.dense\.", ".mha.output.")
            .with_key_remap(r"\.attention\.output\.LayerNorm\.", ".norm_1.")
            .with_key_remap(r"\.intermediate\.dense\.", ".pwff.linear_inner.")
            .with_key_remap(r"\.output\.dense\.", ".pwff.linear_outer.")
            .with_key_remap(r"\.output\.LayerNorm\.", ".norm_2.");
        // The file also has a pooler that embeddings do not need, and the numbers of the positions.
        let weights = safetensors::open(args)?;
        let (model, report) = weights.load_into(config.init::<B>(device), Strictness::Lenient)?;
        if !report.mismatch.missing.is_empty() || !report.mismatch.shapes.is_empty() {
            return Err(report.to_string().into());
        }
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json"))?;
        // ANCHOR_END: load
        let truncation = TruncationParams { max_length: MAX_LENGTH, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation))?;
        tokenizer.with_padding(Some(PaddingParams::default()));
        Ok((Embedder { tokenizer, model }, report))
    }

    /// Computes the embeddings, `[sentences, hidden_size]`, each of length 1.
    ///
    /// # Errors
    /// A sentence cannot be tokenized.
    pub fn embed(&self, sentences: &[String], device: &B::Device) -> Result<Tensor<B, 2>, Error> {
        let encodings = self.tokenizer.encode_batch(sentences.to_vec(), true)?;
        let length = encodings.first().map_or(0, |encoding| encoding.len());
        let shape = [encodings.len(), length];
        let tokens: Vec<i64> =
            encodings.iter().flat_map(|encoding| encoding.get_ids()).map(|&id| id.into()).collect();
        let used: Vec<bool> = encodings
            .iter()
            .flat_map(|encoding| encoding.get_attention_mask())
            .map(|&mask| mask == 1)
            .collect();
        let tokens = Tensor::<B, 2, Int>::from_data(TensorData::new(tokens, shape), device);
        let used = Tensor::<B, 2, Bool>::from_data(TensorData::new(used, shape), device);
        let states = self.model.forward(tokens, used.clone().bool_not());
        // The mean over the tokens that are no padding.
        let used = used.float().unsqueeze_dim::<3>(2);
        let mean = (states * used.clone()).sum_dim(1) / used.sum_dim(1);
        let mean = mean.flatten::<2>(1, 2);
        let norm = mean.clone().powf_scalar(2.0).sum_dim(1).sqrt();
        Ok(mean / norm)
    }
}
