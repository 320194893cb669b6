//! Generation of several texts at once.

mod generation;
mod generation_engine;
mod options;
mod request;
mod sequence_state;
mod speculative;
mod stop_strings;
mod text_generator;

pub use generation::Generation;
pub use generation_engine::GenerationEngine;
pub use options::EngineOptions;
pub use request::{FinishReason, GenerationEvent, GenerationRequest, RequestId, Token, Usage};
pub use speculative::SpeculativeGeneration;
pub use text_generator::TextGenerator;
