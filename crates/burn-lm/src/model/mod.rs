//! The decoder-only transformer that a configuration describes.

mod attention;
mod block;
mod decode_graphs;
mod feed_forward;
mod fixed_keys;
mod greedy_steps;
mod greedy_tokens;
mod hidden_keys;
mod init;
mod language_model;
mod loss;
mod paged_attention;
mod rotary;
mod soft_cap;
mod step_decoder;

pub use attention::CausalAttention;
pub(crate) use attention::{DenseShape, KeySource};
pub use block::DecoderBlock;
pub(crate) use decode_graphs::DecodeGraphs;
pub use feed_forward::FeedForward;
pub(crate) use fixed_keys::KeyRange;
pub(crate) use greedy_steps::GreedySteps;
pub use greedy_tokens::{GreedyTokenRows, GreedyTokens};
pub(crate) use hidden_keys::hidden_keys;
pub(crate) use init::{LayerSource, NormRole, ProjectionKind};
pub use language_model::LanguageModel;
pub(crate) use paged_attention::{FEW_QUERIES, KeyRun};
pub(crate) use rotary::{RotaryRows, RotaryTable};
pub use step_decoder::StepDecoder;
