//! Quantized tensors. Words are read and written whole, by a unit each, and numbers are taken out of them in
//! registers.

mod blocks;
mod code;
mod decode;
mod encode;
mod integer;
mod product;

pub use blocks::{block_matmul, dequantize_blocks};
pub use decode::dequantize;
pub use encode::quantize_ as quantize;
pub use integer::integer_matmul;
pub use product::quantized_matmul;
