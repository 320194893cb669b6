//! Matrices in the block formats of GGUF files. Kernels read them as words of 32 bits and dequantize in
//! registers.

mod decode;
mod format;
mod k_formats;
mod product;
mod q4_k_product;
mod words;

pub use decode::dequantize_blocks;
pub use product::block_matmul;
