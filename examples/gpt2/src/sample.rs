//! Text of a model.

use burn::lm::{KvCache, LanguageModel, LmError, Sampler, SamplingOptions};
use burn::tensor::backend::Backend;

/// Continues `prompt` by `count` tokens, drawn at a temperature of 0.8 from the 40 most likely ones.
///
/// # Errors
/// The prompt is empty, or longer than the context together with the new tokens.
pub fn continue_tokens<B: Backend>(
    model: &LanguageModel<B>,
    prompt: &[u32],
    count: usize,
    seed: u64,
) -> Result<Vec<u32>, LmError> {
    let vocabulary_size = model.config.vocabulary_size;
    let top_k = Some(40.min(vocabulary_size));
    let options = SamplingOptions::new().with_temperature(0.8).with_top_k(top_k).with_seed(seed);
    let mut sampler = Sampler::new(options, vocabulary_size)?;
    let mut cache = KvCache::new(model, prompt.len() + count)?;
    let sequence = cache.start(prompt, prompt.len() + count)?;
    let (mut tokens, mut new) = (Vec::with_capacity(count), prompt.to_vec());
    for _ in 0..count {
        let hidden = model.decode(&[(sequence, &new)], &mut cache)?;
        let last = hidden.dims()[0] - 1;
        let logits = model.logits(hidden.narrow(0, last, 1)).try_into_data()?;
        let logits: Vec<f32> = logits.iter::<f32>().collect();
        let (token, _) = sampler.sample(&logits);
        tokens.push(token);
        new = vec![token];
    }
    Ok(tokens)
}
