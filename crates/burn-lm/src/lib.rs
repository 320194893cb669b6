//! Decoder-only language models: Llama, Qwen, Gemma, Mistral, Phi, GPT-2, SmolLM.
//!
//! | for | see |
//! |---|---|
//! | the model of a GGUF file or of a folder with `config.json` and safetensors | [`LanguageModel`], [`LanguageModelConfig`] |
//! | text to tokens and back, chat templates | [`Tokenizer`], [`ChatTemplate`] |
//! | a text from a prompt | [`TextGenerator`], [`Generation`], [`SamplingOptions`] |
//! | several texts at once | [`GenerationEngine`], [`KvCache`] |
//! | the HTTP server with the interface of OpenAI (feature `server`) | `server` |
//!
//! The program `burn-lm` (feature `cli`) runs, measures and serves a model.
// Items carry the feature that they need, where rustdoc can do that: docs.rs and nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod adapter;
mod cache;
mod config;
mod engine;
mod error;
mod load;
mod model;
mod sampling;
#[cfg(feature = "server")]
pub mod server;
mod tokenizer;

pub use cache::{CacheDtype, KvCache, SequenceId};
pub use config::{BlockLayout, LanguageModelConfig, NormKind, RopeConfig, RopeScaling};
pub use engine::{
    EngineOptions, FinishReason, Generation, GenerationEngine, GenerationEvent, GenerationRequest, RequestId,
    SpeculativeGeneration, TextGenerator, Token, Usage,
};
pub use error::LmError;
pub use model::{
    CausalAttention, DecoderBlock, FeedForward, GreedyTokenRows, GreedyTokens, LanguageModel, StepDecoder,
};
pub use sampling::{Sampler, SamplingOptions, TokenLogProbs};
pub use tokenizer::{ChatMessage, ChatTemplate, Detokenizer, Tokenizer};
