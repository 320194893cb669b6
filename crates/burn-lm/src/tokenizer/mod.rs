//! Text to tokens and back, from the vocabulary of a GGUF file or from `tokenizer.json`.

mod chat_template;
mod detokenizer;
mod folder;
mod gguf_vocabulary;
mod split_pattern;
mod text_tokenizer;
mod token_bytes;

pub use chat_template::{ChatMessage, ChatTemplate};
pub use detokenizer::Detokenizer;
pub use text_tokenizer::Tokenizer;
