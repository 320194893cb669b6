//! Quantized tensors and modules.

mod modules;
mod tensors;
