//! The choice of the next token from its logits.

mod candidates;
mod log_probabilities;
mod options;
mod random;
mod sampler;

pub use log_probabilities::TokenLogProbs;
pub use options::SamplingOptions;
pub use sampler::Sampler;
