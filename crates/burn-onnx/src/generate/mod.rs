//! Rust source from recorded models, and their weights as records.

mod call_text;
mod control_flow;
mod file;
mod fold;
mod layer;
mod model_gen;
mod names;
mod numbers;
mod record;
mod source;
mod steps;
mod weights;

pub use model_gen::{Generated, ModelGen};
pub use record::RecordType;
