//! Fine-tuning of a language model with low-rank adapters (LoRA; Hu et al. 2021).
//!
//! The base is loaded by `burn::lm` from a folder of Hugging Face's `transformers` or from a GGUF file.
//! Matrices of a GGUF file stay quantized, and gradients flow through them to the adapters (QLoRA; Dettmers
//! et al. 2023).

pub mod fine_tuning;
pub mod sequences;
