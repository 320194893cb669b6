use super::TILE;
use super::groups::Groups;
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use burn_backend::{Packed, QuantizationScheme, QuantizationType};

/// Room for the numbers of a tile and of the words that it shares with its neighbours.
pub type Room = [u8; TILE + 32];

/// The numbers of a quantized tensor.
#[derive(Debug)]
pub struct Numbers {
    values: NdTensor,
    zero: Option<NdTensor>,
    pub scheme: QuantizationScheme,
    pub groups: Groups,
}

impl Numbers {
    /// The numbers of `x`, and its scales.
    pub fn new(x: Packed<NdTensor>) -> (Self, NdTensor) {
        let Packed { values, scale, zero, scheme, shape } = x;
        let (values, zero) = (values.into_contiguous(), zero.map(NdTensor::into_contiguous));
        (Numbers { values, zero, scheme, groups: Groups::new(scheme, &shape) }, scale)
    }

    /// The numbers from element `start` on, a tile of them at most, with their signs; of floats their codes.
    pub fn codes<'a>(&self, start: usize, count: usize, room: &'a mut Room) -> &'a [u8] {
        let lanes = self.scheme.value.per_word();
        let before = start % lanes;
        let words = &self.values.slice::<u32>()[start / lanes..][..(before + count).div_ceil(lanes)];
        unpack(self.scheme.value)(words, &mut room[..words.len() * lanes]);
        &room[before..before + count]
    }

    /// The zero points of the elements from `start` on. Where there are none, `out` is zero already.
    pub fn zeros(&self, start: usize, out: &mut [i32]) {
        if let Some(zero) = &self.zero {
            self.groups.fill(zero.slice(), start, out);
        }
    }
}

/// Writes the numbers of words, as bytes with their signs.
type Unpack = fn(&[u32], &mut [u8]);
/// Writes the words of numbers, whose higher bits are not looked at.
type Pack = fn(&[u8], &mut [u32]);

fn unpack(value: QuantizationType) -> Unpack {
    match value {
        QuantizationType::QInt8 | QuantizationType::QFloat8E4M3 | QuantizationType::QFloat8E5M2 => unpack_8,
        QuantizationType::QInt4 => unpack_4,
        QuantizationType::QInt2 => unpack_2,
    }
}

pub fn pack(value: QuantizationType) -> Pack {
    match value {
        QuantizationType::QInt8 | QuantizationType::QFloat8E4M3 | QuantizationType::QFloat8E5M2 => pack_8,
        QuantizationType::QInt4 => pack_4,
        QuantizationType::QInt2 => pack_2,
    }
}

#[inline(always)]
fn unpack_words<const LANES: usize>(words: &[u32], out: &mut [u8]) {
    let bits = 32 / LANES;
    for (word, out) in words.iter().zip(out.chunks_exact_mut(LANES)) {
        for k in 0..LANES {
            // To the top, and back with the sign.
            out[k] = ((word << (32 - bits * (k + 1))) as i32 >> (32 - bits)) as u8;
        }
    }
}

#[inline(always)]
fn pack_words<const LANES: usize>(codes: &[u8], words: &mut [u32]) {
    let bits = 32 / LANES;
    for (codes, word) in codes.chunks_exact(LANES).zip(words) {
        let lone = |k: usize| (u32::from(codes[k]) & ((1 << bits) - 1)) << (bits * k);
        *word = (0..LANES).fold(0, |word, k| word | lone(k));
    }
}

macro_rules! widths {
    ($($lanes:literal: $unpack:ident $unpack_body:ident $pack:ident $pack_body:ident;)*) => {$(
        #[inline(always)]
        fn $unpack_body<const FMA: bool>(words: &[u32], out: &mut [u8]) {
            unpack_words::<$lanes>(words, out);
        }
        dispatch! { narrow fn $unpack(words: &[u32], out: &mut [u8]) = $unpack_body }
        #[inline(always)]
        fn $pack_body<const FMA: bool>(codes: &[u8], words: &mut [u32]) {
            pack_words::<$lanes>(codes, words);
        }
        dispatch! { narrow fn $pack(codes: &[u8], words: &mut [u32]) = $pack_body }
    )*};
}
widths! {
    4: unpack_8 unpack_body_8 pack_8 pack_body_8;
    8: unpack_4 unpack_body_4 pack_4 pack_body_4;
    16: unpack_2 unpack_body_2 pack_2 pack_body_2;
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack};
    use burn_backend::QuantizationType;

    #[test]
    fn words_have_their_first_number_in_the_lowest_bits() {
        let words = |value, codes: &[i8]| {
            let mut words = [0];
            pack(value)(bytemuck::cast_slice(codes), &mut words);
            let mut back = alloc::vec![0; codes.len()];
            unpack(value)(&words, &mut back);
            assert_eq!(bytemuck::cast_slice::<u8, i8>(&back), codes);
            words[0]
        };
        assert_eq!(words(QuantizationType::QInt8, &[1, -1, 127, -128]), 0x807F_FF01);
        assert_eq!(words(QuantizationType::QInt4, &[1, -1, 7, -8, 0, 2, -2, 3]), 0x3E20_87F1);
        let twos = [1, -1, 0, -2, 0, 0, 0, 0, 1, 1, 1, 1, -1, -1, -1, -1];
        assert_eq!(words(QuantizationType::QInt2, &twos), 0xFF55_008D);
    }
}
