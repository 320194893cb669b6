//! Training of a model whose layers are on several ranks, one after the other.

mod pipeline;
mod schedule;

pub use pipeline::{Pipeline, PipelineOutput};
