//! GGUF, the files of llama.cpp: metadata and tensors, many of them quantized.
//!
//! Quantized tensors are read as `f32`: blocks of 32 numbers with a scale (`Q8_0`, `Q4_0`, `Q4_1`, `Q5_0`,
//! `Q5_1`) and super-blocks of 256 (`Q2_K` to `Q6_K`). After
//! [`Weights::keep_quantized`](burn_core::weights::Weights::keep_quantized) matrices stay in the blocks of
//! the file, in its memory mapping.

mod gguf_file;
mod metadata;
mod reader;
mod tensor_type;

pub use gguf_file::{GgufFile, open};
pub use metadata::{MetadataArray, MetadataValue};

pub use crate::LoadArgs;
