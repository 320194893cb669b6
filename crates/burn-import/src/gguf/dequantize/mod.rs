//! Numbers of few bits, block by block. The layouts are those of the format's reference (`gguf-py`, `ggml-quants`).

mod blocks;
mod super_blocks;

use burn_core::tensor::f16;

pub use blocks::{q4_0, q4_1, q5_0, q5_1, q8_0};
pub use super_blocks::{q2_k, q3_k, q4_k, q5_k, q6_k};

/// Appends the numbers of a block, whose bytes are whole.
pub type Dequantize = fn(&[u8], &mut Vec<f32>);

/// The half-precision number at `at`.
fn half(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}
