use crate::CacheDtype;
use burn_core::config::Config;

/// Options of a [`GenerationEngine`](super::GenerationEngine).
#[derive(Config, Debug, PartialEq)]
pub struct EngineOptions {
    /// Positions of the cache, of all sequences together.
    #[config(default = 8192)]
    pub cache_positions: usize,
    /// Element type of keys and values in the cache; `None` is that of the embeddings.
    #[config(default = "None")]
    pub cache_dtype: Option<CacheDtype>,
    /// Largest number of sequences that are decoded together.
    #[config(default = 16)]
    pub max_sequences: usize,
    /// Largest number of prompt tokens in a step, so that a long prompt does not hold up the other sequences.
    #[config(default = 512)]
    pub prefill_tokens: usize,
}
