//! Decoder-only language models: Llama, Qwen, Gemma, Mistral, Phi, GPT-2, SmolLM.

mod cache;
mod config;
mod error;
mod load;
mod model;

pub use cache::{KvCache, SequenceId};
pub use config::{BlockLayout, LanguageModelConfig, NormKind, RopeConfig, RopeScaling};
pub use error::LmError;
pub use model::{CausalAttention, DecoderBlock, FeedForward, LanguageModel};
