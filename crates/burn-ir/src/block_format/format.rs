use super::{blocks, super_blocks};
use serde::{Deserialize, Serialize};

/// Format of quantized blocks, as GGUF files (llama.cpp) store them: some elements of a row with their
/// scales.
///
/// Blocks have 32 elements with a half-precision scale `d`, and a minimum `m` where the name ends in 1. Those
/// of the `K` formats have 256, in sub-blocks whose scales are numbers of few bits. A row is a whole number
/// of blocks.
///
/// ```
/// use burn_ir::BlockFormat;
///
/// assert_eq!((BlockFormat::Q8_0.elements(), BlockFormat::Q8_0.bytes()), (32, 34));
/// // The scale 0.5 in half precision, then 32 signed bytes.
/// let block: Vec<u8> = [0x00, 0x38].into_iter().chain(0..32).collect();
/// let mut row = [0.0; 32];
/// BlockFormat::Q8_0.decode(&block, &mut row);
/// assert_eq!(row[..4], [0.0, 0.5, 1.0, 1.5]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BlockFormat {
    /// `d (q - 8)`, with `q` of 4 bits.
    Q4_0,
    /// `d q + m`, with `q` of 4 bits.
    Q4_1,
    /// `d (q - 16)`, with `q` of 5 bits.
    Q5_0,
    /// `d q + m`, with `q` of 5 bits.
    Q5_1,
    /// `d q`, with `q` of 8 bits and a sign.
    Q8_0,
    /// `d s q - m t`, with `q` of 2 bits, and `s`, `t` of 4 bits for each 16 elements.
    Q2K,
    /// `d (s - 32) (q - 4)`, with `q` of 3 bits, and `s` of 6 bits for each 16 elements.
    Q3K,
    /// `d s q - m t`, with `q` of 4 bits, and `s`, `t` of 6 bits for each 32 elements.
    Q4K,
    /// `d s q - m t`, with `q` of 5 bits, and `s`, `t` of 6 bits for each 32 elements.
    Q5K,
    /// `d s (q - 32)`, with `q` of 6 bits, and `s` of 8 bits and a sign for each 16 elements.
    Q6K,
}

use BlockFormat::*;

impl BlockFormat {
    pub const ALL: [BlockFormat; 10] = [Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2K, Q3K, Q4K, Q5K, Q6K];

    /// Returns the number of elements of a block.
    pub const fn elements(self) -> usize {
        match self {
            Q4_0 | Q4_1 | Q5_0 | Q5_1 | Q8_0 => blocks::ELEMENTS,
            Q2K | Q3K | Q4K | Q5K | Q6K => super_blocks::ELEMENTS,
        }
    }

    /// Returns the number of bytes of a block.
    pub const fn bytes(self) -> usize {
        match self {
            Q4_0 => 18,
            Q4_1 => 20,
            Q5_0 => 22,
            Q5_1 => 24,
            Q8_0 => 34,
            Q2K => 84,
            Q3K => 110,
            Q4K => 144,
            Q5K => 176,
            Q6K => 210,
        }
    }

    /// Returns the offsets, from the start of a block, of its scale and minimum in half precision.
    pub const fn half_offsets(self) -> &'static [usize] {
        match self {
            Q4_0 | Q5_0 | Q8_0 => &[0],
            Q4_1 | Q5_1 | Q4K | Q5K => &[0, 2],
            Q2K => &[80, 82],
            Q3K => &[108],
            Q6K => &[208],
        }
    }

    /// Returns the name in GGUF files: `"Q4_K"`.
    pub const fn name(self) -> &'static str {
        match self {
            Q4_0 => "Q4_0",
            Q4_1 => "Q4_1",
            Q5_0 => "Q5_0",
            Q5_1 => "Q5_1",
            Q8_0 => "Q8_0",
            Q2K => "Q2_K",
            Q3K => "Q3_K",
            Q4K => "Q4_K",
            Q5K => "Q5_K",
            Q6K => "Q6_K",
        }
    }

    /// Returns the bytes of a row of `columns` elements, unless that is no whole number of blocks.
    pub fn row_bytes(self, columns: usize) -> Option<usize> {
        let is_whole = columns.is_multiple_of(self.elements());
        is_whole.then(|| columns / self.elements()).and_then(|blocks| blocks.checked_mul(self.bytes()))
    }

    /// Dequantizes consecutive blocks to their elements.
    ///
    /// # Panics
    /// When `blocks` is no whole number of blocks, or `out` has another number of elements than they.
    #[inline(always)]
    pub fn decode(self, blocks: &[u8], out: &mut [f32]) {
        let count = blocks.len() / self.bytes();
        let is_whole = blocks.len() == count * self.bytes() && out.len() == count * self.elements();
        assert!(is_whole, "{} bytes are not {} elements of {}", blocks.len(), out.len(), self.name());
        match self {
            Q4_0 => each(blocks, out, blocks::q4_0),
            Q4_1 => each(blocks, out, blocks::q4_1),
            Q5_0 => each(blocks, out, blocks::q5_0),
            Q5_1 => each(blocks, out, blocks::q5_1),
            Q8_0 => each(blocks, out, blocks::q8_0),
            Q2K => each(blocks, out, super_blocks::q2_k),
            Q3K => each(blocks, out, super_blocks::q3_k),
            Q4K => each(blocks, out, super_blocks::q4_k),
            Q5K => each(blocks, out, super_blocks::q5_k),
            Q6K => each(blocks, out, super_blocks::q6_k),
        }
    }
}

#[inline(always)]
fn each<const BYTES: usize, const LEN: usize>(
    blocks: &[u8],
    out: &mut [f32],
    decode: impl Fn(&[u8; BYTES], &mut [f32; LEN]),
) {
    let (blocks, out) = (blocks.as_chunks().0, out.as_chunks_mut().0);
    blocks.iter().zip(out).for_each(|(block, out)| decode(block, out));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_blocks() {
        for format in BlockFormat::ALL {
            let (elements, bytes) = (format.elements(), format.bytes());
            assert_eq!(format.row_bytes(3 * elements), Some(3 * bytes));
            assert_eq!(format.row_bytes(elements + 16), None);
            let mut out = alloc::vec![1.0; 2 * elements];
            format.decode(&alloc::vec![0; 2 * bytes], &mut out);
            assert!(out.iter().all(|&x| x == 0.0), "{} of zeros", format.name());
        }
        assert_eq!(BlockFormat::Q8_0.row_bytes(usize::MAX - 31), None);
    }
}
