//! Matrices of quantized blocks, as GGUF files store them.
//!
//! A product of few rows meets the blocks as they are: the rows become 8-bit integers with a scale for each
//! block, and the sums of a block are whole numbers. One of more rows dequantizes a panel of the matrix at a
//! time, for the `f32` product.

mod activations;
mod decode;
mod format;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod group_kernel;
mod portable;
mod product;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod row_group;
mod row_kernel;
mod run;
mod unit;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod x86;

pub use decode::dequantize_blocks;
pub use product::block_matmul;
