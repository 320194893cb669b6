//! Blocks of 32 numbers with a scale `d`, and a minimum `m` where the names end in 1.

use super::half;

const BLOCK: usize = 32;

/// Dequantizes a `Q8_0` block, `d q`, with `q` of 8 bits.
pub fn q8_0(block: &[u8], out: &mut Vec<f32>) {
    let d = half(block, 0);
    out.extend(block[2..].iter().map(|q| d * f32::from(q.cast_signed())));
}

/// Dequantizes a `Q4_0` block, `d (q - 8)`, with `q` of 4 bits: the low halves of the bytes, then the high
/// ones.
pub fn q4_0(block: &[u8], out: &mut Vec<f32>) {
    let d = half(block, 0);
    out.extend(nibbles(&block[2..]).map(|q| d * (f32::from(q) - 8.0)));
}

/// Dequantizes a `Q4_1` block, `d q + m`, with `q` of 4 bits.
pub fn q4_1(block: &[u8], out: &mut Vec<f32>) {
    let (d, m) = (half(block, 0), half(block, 2));
    out.extend(nibbles(&block[4..]).map(|q| d * f32::from(q) + m));
}

/// Dequantizes a `Q5_0` block, `d (q - 16)`, with `q` of 5 bits, the highest of which are in a word of their
/// own.
pub fn q5_0(block: &[u8], out: &mut Vec<f32>) {
    let d = half(block, 0);
    out.extend(five_bits(&block[2..6], &block[6..]).map(|q| d * (f32::from(q) - 16.0)));
}

/// Dequantizes a `Q5_1` block, `d q + m`, with `q` of 5 bits.
pub fn q5_1(block: &[u8], out: &mut Vec<f32>) {
    let (d, m) = (half(block, 0), half(block, 2));
    out.extend(five_bits(&block[4..8], &block[8..]).map(|q| d * f32::from(q) + m));
}

fn nibbles(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
    bytes.iter().map(|byte| byte & 15).chain(bytes.iter().map(|byte| byte >> 4))
}

fn five_bits<'a>(high: &'a [u8], low: &'a [u8]) -> impl Iterator<Item = u8> + 'a {
    let bit = |index: usize| high[index / 8] >> (index % 8) & 1;
    nibbles(low).take(BLOCK).enumerate().map(move |(index, q)| q | bit(index) << 4)
}
