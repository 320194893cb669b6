//! Embeddings of sentences by all-MiniLM-L6-v2.

mod bert;
mod embedder;
mod fetch;

pub use bert::{Bert, BertConfig, BertEmbeddings};
pub use embedder::{Embedder, Error};
pub use fetch::model_folder;
