//! The choice of the next token from its logits.

mod candidates;
#[cfg(feature = "json-schema")]
mod json_schema;
mod log_probabilities;
mod options;
mod random;
mod sampler;

#[cfg(feature = "json-schema")]
pub(crate) use json_schema::{JsonConstraint, SchemaCompiler};
pub use log_probabilities::TokenLogProbs;
pub use options::SamplingOptions;
pub use sampler::Sampler;
