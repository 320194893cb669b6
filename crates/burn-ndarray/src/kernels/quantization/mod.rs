//! Quantized tensors. Elements go through tiles that the first cache holds: numbers of a byte each, and
//! beside them the scale and the zero point of every element, so that there is one loop for all levels.

#[cfg(feature = "std")]
mod blocks;
mod decode;
mod encode;
mod groups;
mod integer;
mod product;
mod words;

#[cfg(feature = "std")]
pub use blocks::{block_matmul, dequantize_blocks};
pub use decode::dequantize;
pub use encode::quantize;
pub use integer::integer_matmul;
pub use product::quantized_matmul;

/// Elements of a tile: whole words of every type.
const TILE: usize = 512;
