//! Words of a block and the numbers in them. The formulas are those of [`BlockFormat`].

use super::k_formats::{q2_k, q3_k, q4_k, q5_k, q6_k};
use super::words::{Quad, half_at, word_at};
use burn_backend::BlockFormat;
use cubecl::prelude::*;

/// A format, known when a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format(pub BlockFormat);

impl Format {
    pub fn elements(self) -> u32 {
        self.0.elements() as u32
    }

    pub fn bytes(self) -> u32 {
        self.0.bytes() as u32
    }

    /// Quads whose numbers share a word, or its lower bits.
    pub fn quads(self) -> u32 {
        match self.0 {
            BlockFormat::Q8_0 => 1,
            BlockFormat::Q4_0 | BlockFormat::Q4_1 | BlockFormat::Q5_0 | BlockFormat::Q5_1 => 2,
            BlockFormat::Q4K | BlockFormat::Q5K | BlockFormat::Q6K => 2,
            BlockFormat::Q2K | BlockFormat::Q3K => 4,
        }
    }

    /// Words of a block that hold the numbers, or their lower bits.
    pub fn words(self) -> u32 {
        self.elements() / 4 / self.quads()
    }

    /// Subtracted from a number.
    pub fn offset(self) -> f32 {
        match self.0 {
            BlockFormat::Q8_0 => 128.0,
            BlockFormat::Q4_0 => 8.0,
            BlockFormat::Q5_0 => 16.0,
            BlockFormat::Q3K => 4.0,
            BlockFormat::Q6K => 32.0,
            BlockFormat::Q4_1 | BlockFormat::Q5_1 => 0.0,
            BlockFormat::Q2K | BlockFormat::Q4K | BlockFormat::Q5K => 0.0,
        }
    }

    fn is(self, format: BlockFormat) -> bool {
        self.0 == format
    }

    fn has_minimum(self) -> bool {
        matches!(self.0, BlockFormat::Q4_1 | BlockFormat::Q5_1)
    }

    fn has_fifth_bit(self) -> bool {
        matches!(self.0, BlockFormat::Q5_0 | BlockFormat::Q5_1)
    }

    /// Bytes of a block of 32 elements before its numbers of 4 bits.
    fn header(self) -> u32 {
        self.bytes() - 16
    }
}

/// Quad `quad` of word `word` of the block that starts at byte `start`.
#[cube]
pub fn quad_of(
    blocks: &Array<u32>,
    start: u32,
    word: u32,
    #[comptime] quad: u32,
    #[comptime] format: Format,
) -> Quad {
    if comptime!(format.is(BlockFormat::Q8_0)) {
        let numbers = word_at(blocks, start + 2u32 + 4u32 * word) ^ 0x8080_8080u32;
        Quad { element: 4u32 * word, scale: half_at(blocks, start), minimum: 0.0f32, numbers }
    } else if comptime!(format.is(BlockFormat::Q2K)) {
        q2_k(blocks, start, word, quad)
    } else if comptime!(format.is(BlockFormat::Q3K)) {
        q3_k(blocks, start, word, quad)
    } else if comptime!(format.is(BlockFormat::Q4K)) {
        q4_k(blocks, start, word, quad)
    } else if comptime!(format.is(BlockFormat::Q5K)) {
        q5_k(blocks, start, word, quad)
    } else if comptime!(format.is(BlockFormat::Q6K)) {
        q6_k(blocks, start, word, quad)
    } else {
        nibbles(blocks, start, word, quad, format)
    }
}

/// Blocks of 32 elements of 4 bits: the low halves of 16 bytes, then the high ones. The fifth bits are a word
/// in front of them.
#[cube]
fn nibbles(
    blocks: &Array<u32>,
    start: u32,
    word: u32,
    #[comptime] quad: u32,
    #[comptime] format: Format,
) -> Quad {
    let element = 4u32 * word + comptime!(16 * quad);
    let low = word_at(blocks, start + comptime!(format.header()) + 4u32 * word);
    let mut numbers = (low >> comptime!(4 * quad)) & 0x0f0f_0f0fu32;
    if comptime!(format.has_fifth_bit()) {
        let bits = word_at(blocks, start + comptime!(format.header() - 4)) >> element;
        numbers = numbers
            | ((bits & 1u32) << 4u32)
            | ((bits & 2u32) << 11u32)
            | ((bits & 4u32) << 18u32)
            | ((bits & 8u32) << 25u32);
    }
    let mut minimum = 0.0f32;
    if comptime!(format.has_minimum()) {
        // These blocks add their minimum.
        minimum = -half_at(blocks, start + 2u32);
    }
    Quad { element, scale: half_at(blocks, start), minimum, numbers }
}

/// Number `at` of a quad, dequantized.
#[cube]
pub fn element_of(quad: &Quad, #[comptime] at: u32, #[comptime] format: Format) -> f32 {
    // 256 more, exactly: the bits of the number are the first ones behind the point.
    let bits = if comptime!(at < 2) {
        quad.numbers << comptime!(15 - 8 * at)
    } else {
        quad.numbers >> comptime!(8 * at - 15)
    };
    let number =
        f32::reinterpret((bits & 0x007f_8000u32) | 0x4380_0000u32) - comptime!(256.0 + format.offset());
    quad.scale * number - quad.minimum
}
