//! Bytes of blocks, in an array of words.

use crate::launch::tensor::CubeTensor;
use crate::ops::layout::contiguous;
use burn_backend::{DType, HasSpec, TensorSpec};
use cubecl::prelude::*;

/// Four neighbouring elements of a block, `scale (q - offset) - minimum`.
#[derive(CubeType, Clone, Copy)]
pub struct Quad {
    /// The first of the elements in its block.
    pub element: u32,
    pub scale: f32,
    pub minimum: f32,
    /// Numbers `q`, a byte each.
    pub numbers: u32,
}

/// The bytes of the blocks as words, unless there are none, they are no whole number of words, or more than a
/// word can count.
pub fn words_of(blocks: &CubeTensor) -> Option<CubeTensor> {
    let bytes = blocks.spec().shape.num_elements();
    if bytes == 0 || bytes % 4 != 0 || u32::try_from(bytes).is_err() {
        return None;
    }
    let blocks = contiguous(blocks.clone());
    let spec = TensorSpec::new([bytes / 4], DType::U32);
    Some(CubeTensor::new(spec, blocks.handle.clone(), blocks.engine()))
}

/// The byte at `at`.
#[cube]
pub fn byte_at(words: &Array<u32>, at: u32) -> u32 {
    (words[(at / 4u32) as usize] >> (at % 4u32 * 8u32)) & 255u32
}

/// Four bytes from `at` on, an even number.
#[cube]
pub fn word_at(words: &Array<u32>, at: u32) -> u32 {
    let (index, odd) = (at / 4u32, at % 4u32 / 2u32);
    let low = words[index as usize];
    // The same word again where the bytes are one: none is read that does not exist.
    let high = words[(index + odd) as usize];
    select(odd == 0u32, low, (low >> 16u32) | (high << 16u32))
}

/// The half-precision number at `at`, an even number.
#[cube]
pub fn half_at(words: &Array<u32>, at: u32) -> f32 {
    half_of((words[(at / 4u32) as usize] >> (at % 4u32 * 8u32)) & 0xffffu32)
}

/// The half-precision number of 16 bits. Denormal ones are made of whole numbers, because devices may take
/// denormal `f32` for zeros.
#[cube]
pub fn half_of(bits: u32) -> f32 {
    let exponent = (bits >> 10u32) & 31u32;
    let small = u32::reinterpret(f32::cast_from(bits & 1023u32) * 5.960_464_5e-8f32);
    let normal = ((bits & 0x7fffu32) << 13u32) + 0x3800_0000u32;
    let special = ((bits & 0x7fffu32) << 13u32) | 0x7f80_0000u32;
    let size = select(exponent == 0u32, small, select(exponent == 31u32, special, normal));
    f32::reinterpret(size | ((bits & 0x8000u32) << 16u32))
}
