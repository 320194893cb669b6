//! What a decoder-only model is made of, as the files of models say.

mod gguf;
mod hugging_face;
mod language_model;
mod rope;
mod validate;

pub use language_model::{BlockLayout, LanguageModelConfig, NormKind};
pub(crate) use rope::Frequencies;
pub use rope::{RopeConfig, RopeScaling};
