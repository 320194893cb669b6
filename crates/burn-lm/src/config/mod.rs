//! Configuration of decoder-only models, read from GGUF metadata and `config.json`.

mod gguf;
mod hugging_face;
mod language_model;
mod rope;
mod validate;

pub use language_model::{BlockLayout, LanguageModelConfig, NormKind};
pub(crate) use rope::Frequencies;
pub use rope::{RopeConfig, RopeScaling};
