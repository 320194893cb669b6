//! Blocks of 32 elements with a scale `d`, and a minimum `m` where the names end in 1.

use half::f16;

pub const ELEMENTS: usize = 32;

/// Returns the half-precision number at `at`.
#[inline(always)]
pub fn half(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}

/// Dequantizes a `Q8_0` block, `d q`, with `q` of 8 bits.
#[inline(always)]
pub fn q8_0(block: &[u8; 34], out: &mut [f32; ELEMENTS]) {
    let d = half(block, 0);
    out.iter_mut().zip(&block[2..]).for_each(|(out, q)| *out = d * f32::from(q.cast_signed()));
}

/// Dequantizes a `Q4_0` block, `d (q - 8)`, with `q` of 4 bits: the low halves of the bytes, then the high
/// ones.
#[inline(always)]
pub fn q4_0(block: &[u8; 18], out: &mut [f32; ELEMENTS]) {
    let d = half(block, 0);
    let q = nibbles(&block[2..]);
    (0..ELEMENTS).for_each(|i| out[i] = d * (f32::from(q[i]) - 8.0));
}

/// Dequantizes a `Q4_1` block, `d q + m`, with `q` of 4 bits.
#[inline(always)]
pub fn q4_1(block: &[u8; 20], out: &mut [f32; ELEMENTS]) {
    let (d, m) = (half(block, 0), half(block, 2));
    let q = nibbles(&block[4..]);
    (0..ELEMENTS).for_each(|i| out[i] = d * f32::from(q[i]) + m);
}

/// Dequantizes a `Q5_0` block, `d (q - 16)`, with `q` of 5 bits, the highest of which are in a word of their
/// own.
#[inline(always)]
pub fn q5_0(block: &[u8; 22], out: &mut [f32; ELEMENTS]) {
    let d = half(block, 0);
    let q = five_bits(&block[2..6], &block[6..]);
    (0..ELEMENTS).for_each(|i| out[i] = d * (f32::from(q[i]) - 16.0));
}

/// Dequantizes a `Q5_1` block, `d q + m`, with `q` of 5 bits.
#[inline(always)]
pub fn q5_1(block: &[u8; 24], out: &mut [f32; ELEMENTS]) {
    let (d, m) = (half(block, 0), half(block, 2));
    let q = five_bits(&block[4..8], &block[8..]);
    (0..ELEMENTS).for_each(|i| out[i] = d * f32::from(q[i]) + m);
}

#[inline(always)]
fn nibbles(bytes: &[u8]) -> [u8; ELEMENTS] {
    let bytes = &bytes[..ELEMENTS / 2];
    let mut q = [0; ELEMENTS];
    for i in 0..ELEMENTS / 2 {
        q[i] = bytes[i] & 15;
        q[i + ELEMENTS / 2] = bytes[i] >> 4;
    }
    q
}

#[inline(always)]
fn five_bits(high: &[u8], low: &[u8]) -> [u8; ELEMENTS] {
    let mut q = nibbles(low);
    let bits = u32::from_le_bytes([high[0], high[1], high[2], high[3]]);
    (0..ELEMENTS).for_each(|i| q[i] |= ((bits >> i & 1) << 4) as u8);
    q
}
