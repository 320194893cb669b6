//! Super-blocks of 256 elements: sub-blocks have scales of few bits, and the super-block a scale `d` of these
//! (and `m` of their minima).

use super::blocks::half;

pub const ELEMENTS: usize = 256;

/// Dequantizes a `Q2_K` super-block of 16 sub-blocks of 16 numbers: `d s q - m t`, with `q` of 2 bits and
/// `s`, `t` of 4 bits in one byte.
#[inline(always)]
pub fn q2_k(block: &[u8; 84], out: &mut [f32; ELEMENTS]) {
    let (scales, quants) = (&block[..16], &block[16..80]);
    let (d, m) = (half(block, 80), half(block, 82));
    for (index, out) in out.chunks_exact_mut(16).enumerate() {
        let (scale, minimum) = (d * f32::from(scales[index] & 15), m * f32::from(scales[index] >> 4));
        let q = two_bits(quants, index);
        (0..16).for_each(|i| out[i] = scale * f32::from(q[i]) - minimum);
    }
}

/// Two bits of each of the 16 numbers of a sub-block: 128 numbers are in 32 bytes, four planes of two bits
/// each.
#[inline(always)]
fn two_bits(quants: &[u8], sub_block: usize) -> [u8; 16] {
    let (half, plane, part) = (sub_block / 8, sub_block % 8 / 2, sub_block % 2);
    let bytes = &quants[32 * half + 16 * part..][..16];
    core::array::from_fn(|i| bytes[i] >> (2 * plane) & 3)
}

/// Dequantizes a `Q3_K` super-block of 16 sub-blocks of 16 numbers: `d (s - 32) (q - 4)`, with `q` of 3 bits,
/// the highest in bytes of their own, and `s` of 6 bits.
#[inline(always)]
pub fn q3_k(block: &[u8; 110], out: &mut [f32; ELEMENTS]) {
    let (high, quants, scales) = (&block[..32], &block[32..96], &block[96..108]);
    let d = half(block, 108);
    for (index, out) in out.chunks_exact_mut(16).enumerate() {
        // Four bits of each scale are in eight bytes, two are in the four after them.
        let low = scales[index % 8] >> (4 * (index / 8)) & 15;
        let top = scales[8 + index % 4] >> (2 * (index / 4)) & 3;
        let scale = d * (f32::from(low | top << 4) - 32.0);
        let bits = &high[16 * (index % 2)..][..16];
        let q = two_bits(quants, index);
        (0..16).for_each(|i| out[i] = scale * (f32::from(q[i] | (bits[i] >> (index / 2) & 1) << 2) - 4.0));
    }
}

/// Dequantizes a `Q4_K` super-block of 8 sub-blocks of 32 numbers: `d s q - m t`, with `q` of 4 bits and `s`,
/// `t` of 6 bits.
#[inline(always)]
pub fn q4_k(block: &[u8; 144], out: &mut [f32; ELEMENTS]) {
    let (d, m) = (half(block, 0), half(block, 2));
    let (scales, quants) = (&block[4..16], &block[16..144]);
    for (index, out) in out.chunks_exact_mut(32).enumerate() {
        let (scale, minimum) = six_bits(scales, index);
        let (scale, minimum) = (d * scale, m * minimum);
        let (bytes, shift) = (&quants[32 * (index / 2)..][..32], 4 * (index % 2));
        (0..32).for_each(|i| out[i] = scale * f32::from(bytes[i] >> shift & 15) - minimum);
    }
}

/// Dequantizes a `Q5_K` super-block: as [`q4_k`], with `q` of 5 bits, the highest in bytes of their own.
#[inline(always)]
pub fn q5_k(block: &[u8; 176], out: &mut [f32; ELEMENTS]) {
    let (d, m) = (half(block, 0), half(block, 2));
    let (scales, high, quants) = (&block[4..16], &block[16..48], &block[48..176]);
    for (index, out) in out.chunks_exact_mut(32).enumerate() {
        let (scale, minimum) = six_bits(scales, index);
        let (scale, minimum) = (d * scale, m * minimum);
        let (bytes, shift) = (&quants[32 * (index / 2)..][..32], 4 * (index % 2));
        let q = |i: usize| bytes[i] >> shift & 15 | (high[i] >> index & 1) << 4;
        (0..32).for_each(|i| out[i] = scale * f32::from(q(i)) - minimum);
    }
}

/// The scale and the minimum of a sub-block: those of the first four take six bits of a byte, of the others
/// four, and two that the first ones left.
#[inline(always)]
fn six_bits(scales: &[u8], index: usize) -> (f32, f32) {
    let (scale, minimum) = if index < 4 {
        (scales[index] & 63, scales[index + 4] & 63)
    } else {
        let both = scales[index + 4];
        (both & 15 | scales[index - 4] >> 6 << 4, both >> 4 | scales[index] >> 6 << 4)
    };
    (f32::from(scale), f32::from(minimum))
}

/// Dequantizes a `Q6_K` super-block of 16 sub-blocks of 16 numbers: `d s (q - 32)`, with `q` of 6 bits, the
/// two highest in bytes of their own, and `s` of 8 bits.
#[inline(always)]
pub fn q6_k(block: &[u8; 210], out: &mut [f32; ELEMENTS]) {
    let (low, high, scales) = (&block[..128], &block[128..192], &block[192..208]);
    let d = half(block, 208);
    for (index, out) in out.chunks_exact_mut(16).enumerate() {
        let scale = d * f32::from(scales[index].cast_signed());
        // 128 numbers are four runs of 32: two in the low halves of 64 bytes, two in the high ones.
        let (part, run, start) = (index / 8, index % 8 / 2, 16 * (index % 2));
        let low = &low[64 * part + 32 * (run % 2) + start..][..16];
        let high = &high[32 * part + start..][..16];
        let q = |i: usize| low[i] >> (4 * (run / 2)) & 15 | (high[i] >> (2 * run) & 3) << 4;
        (0..16).for_each(|i| out[i] = scale * (f32::from(q(i)) - 32.0));
    }
}
