//! Writing, token by token.

use crate::model::LanguageModel;
use crate::tokenizer::SubwordTokenizer;
use burn::prelude::*;
use burn::tensor::activation::softmax;

/// How tokens are drawn.
#[derive(Config, Debug)]
pub struct SamplingConfig {
    /// Number of tokens to write.
    #[config(default = 80)]
    pub tokens: usize,
    /// Divisor of the logits: below 1 frequent tokens are preferred, above 1 rare ones occur more often.
    #[config(default = 0.8)]
    pub temperature: f64,
    /// Draws among the tokens with the largest logits alone; by default among 40.
    #[config(default = 40)]
    pub top_k: usize,
}

// ANCHOR: sample
/// Continues a prompt until `config.tokens` are written or the text has `context` tokens, and returns all of
/// it.
///
/// # Errors
/// If the prompt is empty or does not fit the context.
pub fn sample<B: Backend>(
    model: &LanguageModel<B>,
    tokenizer: &SubwordTokenizer,
    prompt: &str,
    context: usize,
    config: &SamplingConfig,
    device: &B::Device,
) -> Result<String, String> {
    let mut text = tokenizer.encode(prompt).map_err(|error| error.to_string())?;
    let length = text.len();
    if length == 0 || length >= context {
        return Err(format!("the prompt has {length} tokens; expected 1 to {}", context - 1));
    }
    let mut cache = model.new_cache(context);
    let mut new = text.clone();
    while text.len() < context.min(length + config.tokens) {
        let ids: Vec<i64> = new.iter().map(|&token| token as i64).collect();
        let ids = Tensor::<B, 2, Int>::from_data(TensorData::new(ids, [1, new.len()]), device);
        let logits = model.next(ids, &mut cache);
        let vocabulary = logits.dims()[1];
        let (logits, tokens) = logits.topk_with_indices(config.top_k.clamp(1, vocabulary), 1);
        let place = softmax(logits / config.temperature.max(1e-6), 1).multinomial(1, true);
        let token = tokens.gather(1, place).into_data().to_f64()[0] as usize;
        text.push(token);
        new = vec![token];
    }
    tokenizer.decode(&text).map_err(|error| error.to_string())
}
// ANCHOR_END: sample
