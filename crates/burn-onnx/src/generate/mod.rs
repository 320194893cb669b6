//! Rust source from recorded models, and their weights as records.

mod call_tokens;
mod control_flow;
mod documentation;
mod expected_items;
mod file;
mod fold;
mod imports;
mod layer;
mod literal;
mod loading;
mod model_gen;
mod names;
mod numbers;
mod record;
mod record_path;
mod source;
mod spacing;
mod statement;
mod steps;
mod weights;

pub use model_gen::{Generated, ModelGen};
pub use record::RecordType;
