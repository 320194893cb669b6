//! Super-blocks of 256 elements, whose sub-blocks have scales of few bits.

use super::words::{Quad, byte_at, half_at, word_at};
use cubecl::prelude::*;

/// `Q2_K`: 128 numbers are in 32 bytes, four planes of two bits each.
#[cube]
pub fn q2_k(blocks: &Array<u32>, start: u32, word: u32, #[comptime] plane: u32) -> Quad {
    let (part, within) = (word / 8u32, 4u32 * (word % 8u32));
    let numbers = (word_at(blocks, start + 16u32 + 4u32 * word) >> comptime!(2 * plane)) & 0x0303_0303u32;
    let element = 128u32 * part + comptime!(32 * plane) + within;
    let both = byte_at(blocks, start + element / 16u32);
    let scale = half_at(blocks, start + 80u32) * f32::cast_from(both & 15u32);
    let minimum = half_at(blocks, start + 82u32) * f32::cast_from(both >> 4u32);
    Quad { element, scale, minimum, numbers }
}

/// `Q3_K`: as `Q2_K`, with the third bits in bytes of their own.
#[cube]
pub fn q3_k(blocks: &Array<u32>, start: u32, word: u32, #[comptime] plane: u32) -> Quad {
    let (part, within) = (word / 8u32, 4u32 * (word % 8u32));
    let low = (word_at(blocks, start + 32u32 + 4u32 * word) >> comptime!(2 * plane)) & 0x0303_0303u32;
    let high = (word_at(blocks, start + within) >> (4u32 * part + plane)) & 0x0101_0101u32;
    let element = 128u32 * part + comptime!(32 * plane) + within;
    let index = element / 16u32;
    let scale = (byte_at(blocks, start + 96u32 + index % 8u32) >> (4u32 * (index / 8u32))) & 15u32;
    let top = (byte_at(blocks, start + 104u32 + index % 4u32) >> (2u32 * (index / 4u32))) & 3u32;
    let scale = f32::cast_from(scale | (top << 4u32)) - 32.0f32;
    let scale = half_at(blocks, start + 108u32) * scale;
    Quad { element, scale, minimum: 0.0f32, numbers: low | (high << 2u32) }
}

/// `Q4_K`: 64 numbers are in 32 bytes, the low halves before the high ones.
#[cube]
pub fn q4_k(blocks: &Array<u32>, start: u32, word: u32, #[comptime] half: u32) -> Quad {
    let numbers = (word_at(blocks, start + 16u32 + 4u32 * word) >> comptime!(4 * half)) & 0x0f0f_0f0fu32;
    let index = word / 8u32 * 2u32 + half;
    let element = 32u32 * index + 4u32 * (word % 8u32);
    let (scale, minimum) = six_bits(blocks, start, index);
    Quad { element, scale, minimum, numbers }
}

/// `Q5_K`: as `Q4_K`, with the fifth bits in bytes of their own.
#[cube]
pub fn q5_k(blocks: &Array<u32>, start: u32, word: u32, #[comptime] half: u32) -> Quad {
    let low = (word_at(blocks, start + 48u32 + 4u32 * word) >> comptime!(4 * half)) & 0x0f0f_0f0fu32;
    let index = word / 8u32 * 2u32 + half;
    let within = 4u32 * (word % 8u32);
    let high = (word_at(blocks, start + 16u32 + within) >> index) & 0x0101_0101u32;
    let (scale, minimum) = six_bits(blocks, start, index);
    Quad { element: 32u32 * index + within, scale, minimum, numbers: low | (high << 4u32) }
}

/// The scale and the minimum of a sub-block: those of the first four take six bits of a byte, of the others
/// four, and two that the first ones left.
#[cube]
fn six_bits(blocks: &Array<u32>, start: u32, index: u32) -> (f32, f32) {
    let at = start + 4u32 + index % 4u32;
    let (first, second) = (byte_at(blocks, at), byte_at(blocks, at + 4u32));
    let both = byte_at(blocks, at + 8u32);
    let is_first = index < 4u32;
    let scale = select(is_first, first & 63u32, (both & 15u32) | ((first >> 6u32) << 4u32));
    let minimum = select(is_first, second & 63u32, (both >> 4u32) | ((second >> 6u32) << 4u32));
    let scale = half_at(blocks, start) * f32::cast_from(scale);
    (scale, half_at(blocks, start + 2u32) * f32::cast_from(minimum))
}

/// `Q6_K`: 128 numbers are four runs of 32, two in the low halves of 64 bytes and two in the high ones; their
/// highest bits are in 32 bytes.
#[cube]
pub fn q6_k(blocks: &Array<u32>, start: u32, word: u32, #[comptime] half: u32) -> Quad {
    let (part, within) = (word / 16u32, 4u32 * (word % 8u32));
    let run = word % 16u32 / 8u32 + comptime!(2 * half);
    let low = (word_at(blocks, start + 4u32 * word) >> comptime!(4 * half)) & 0x0f0f_0f0fu32;
    let high = word_at(blocks, start + 128u32 + 32u32 * part + within) >> (2u32 * run);
    let element = 128u32 * part + 32u32 * run + within;
    // A byte with a sign: to the top, and back.
    let scale = byte_at(blocks, start + 192u32 + element / 16u32) << 24u32;
    let scale = half_at(blocks, start + 208u32) * f32::cast_from(i32::reinterpret(scale) >> 24i32);
    Quad { element, scale, minimum: 0.0f32, numbers: low | ((high & 0x0303_0303u32) << 4u32) }
}
