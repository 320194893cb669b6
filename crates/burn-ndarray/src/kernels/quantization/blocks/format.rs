//! How codes and scales lie in the blocks of each format; see [`BlockFormat`](burn_backend::BlockFormat).

use super::unit::Unit;

/// Block of 32 elements, `d q + m`.
pub trait Block<const BYTES: usize> {
    /// Whether the codes have a sign; codes without one are below 128.
    const IS_SIGNED: bool = false;
    fn codes<U: Unit>(block: &[u8; BYTES]) -> U::Bytes;
    /// `d` and `m`.
    fn scales<U: Unit>(block: &[u8; BYTES]) -> [U::Floats; 2];
}

/// Super-block of 256 elements in sub-blocks of 16, `d s q - m t`.
pub trait SuperBlock<const BYTES: usize> {
    /// The codes, below 64.
    fn codes<U: Unit>(block: &[u8; BYTES]) -> [U::Bytes; 8];
    /// `s` and `t`, by sub-block.
    fn sub_scales<U: Unit>(block: &[u8; BYTES]) -> [U::Half; 2];
    /// `d` and `m`.
    fn scales<U: Unit>(block: &[u8; BYTES]) -> [U::Floats; 2];
}

#[inline(always)]
fn part<const N: usize>(block: &[u8], start: usize) -> &[u8; N] {
    block[start..start + N].try_into().expect("the part has this length")
}

#[inline(always)]
fn word(block: &[u8], start: usize) -> u32 {
    u32::from_le_bytes(*part(block, start))
}

/// Numbers of 5 bits, the highest of which are in the first four bytes.
#[inline(always)]
fn five_bits<U: Unit>(block: &[u8], start: usize) -> U::Bytes {
    U::or(U::nibbles(part(block, start + 4)), U::bits(word(block, start), 16))
}

#[derive(Debug)]
pub struct Q4_0;

impl Block<18> for Q4_0 {
    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 18]) -> U::Bytes {
        U::nibbles(part(block, 2))
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 18]) -> [U::Floats; 2] {
        let d = U::float16(*part(block, 0));
        [d, U::multiply(d, U::splat(-8.0))]
    }
}

#[derive(Debug)]
pub struct Q4_1;

impl Block<20> for Q4_1 {
    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 20]) -> U::Bytes {
        U::nibbles(part(block, 4))
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 20]) -> [U::Floats; 2] {
        [U::float16(*part(block, 0)), U::float16(*part(block, 2))]
    }
}

#[derive(Debug)]
pub struct Q5_0;

impl Block<22> for Q5_0 {
    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 22]) -> U::Bytes {
        five_bits::<U>(block, 2)
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 22]) -> [U::Floats; 2] {
        let d = U::float16(*part(block, 0));
        [d, U::multiply(d, U::splat(-16.0))]
    }
}

#[derive(Debug)]
pub struct Q5_1;

impl Block<24> for Q5_1 {
    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 24]) -> U::Bytes {
        five_bits::<U>(block, 4)
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 24]) -> [U::Floats; 2] {
        [U::float16(*part(block, 0)), U::float16(*part(block, 2))]
    }
}

#[derive(Debug)]
pub struct Q8_0;

impl Block<34> for Q8_0 {
    const IS_SIGNED: bool = true;

    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 34]) -> U::Bytes {
        U::load(part(block, 2))
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 34]) -> [U::Floats; 2] {
        [U::float16(*part(block, 0)), U::splat(0.0)]
    }
}

/// Two bits of 256 numbers: each 32 bytes have four planes.
#[inline(always)]
fn two_bits<U: Unit>(block: &[u8], start: usize) -> [U::Bytes; 8] {
    let (x, y) = (U::load(part(block, start)), U::load(part(block, start + 32)));
    let of = [U::right::<0>, U::right::<2>, U::right::<4>, U::right::<6>];
    [of[0](x, 3), of[1](x, 3), of[2](x, 3), of[3](x, 3), of[0](y, 3), of[1](y, 3), of[2](y, 3), of[3](y, 3)]
}

/// Four bits of 256 numbers: the low halves of 32 bytes, then the high ones.
#[inline(always)]
fn four_bits<U: Unit>(block: &[u8], start: usize) -> [U::Bytes; 8] {
    // Written out: `map` of an array of vectors is a call.
    let (a, b) = (U::load(part(block, start)), U::load(part(block, start + 32)));
    let (c, d) = (U::load(part(block, start + 64)), U::load(part(block, start + 96)));
    let (low, high) = (U::right::<0>, U::right::<4>);
    [low(a, 15), high(a, 15), low(b, 15), high(b, 15), low(c, 15), high(c, 15), low(d, 15), high(d, 15)]
}

/// Scales and minima of 6 bits for eight sub-blocks of 32, each twice: the first four have six bits of a byte
/// each, the others four bits, and two that the first ones leave.
#[inline(always)]
fn six_bits<U: Unit>(block: &[u8], start: usize) -> [U::Half; 2] {
    let (scales, minima, both) = (word(block, start), word(block, start + 4), word(block, start + 8));
    let eight = |low: u32, shift: u32| {
        let high = (both >> shift & 0x0F0F_0F0F) | (low >> 6 & 0x0303_0303) << 4;
        U::twice([low & 0x3F3F_3F3F, high])
    };
    [eight(scales, 0), eight(minima, 4)]
}

#[inline(always)]
fn both<U: Unit>(low: [U::Bytes; 8], high: [U::Bytes; 8]) -> [U::Bytes; 8] {
    core::array::from_fn(|i| U::or(low[i], high[i]))
}

#[derive(Debug)]
pub struct Q2K;

impl SuperBlock<84> for Q2K {
    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 84]) -> [U::Bytes; 8] {
        two_bits::<U>(block, 16)
    }
    #[inline(always)]
    fn sub_scales<U: Unit>(block: &[u8; 84]) -> [U::Half; 2] {
        let scales = U::load_half(part(block, 0));
        [U::nibbles_of_half::<0>(scales), U::nibbles_of_half::<4>(scales)]
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 84]) -> [U::Floats; 2] {
        [U::float16(*part(block, 80)), U::float16(*part(block, 82))]
    }
}

#[derive(Debug)]
pub struct Q3K;

impl SuperBlock<110> for Q3K {
    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 110]) -> [U::Bytes; 8] {
        let high = U::load(part(block, 0));
        // Bit `i` of a byte is the highest of the three bits of run `i`.
        let high = [
            U::left::<2>(high, 4),
            U::left::<1>(high, 4),
            U::right::<0>(high, 4),
            U::right::<1>(high, 4),
            U::right::<2>(high, 4),
            U::right::<3>(high, 4),
            U::right::<4>(high, 4),
            U::right::<5>(high, 4),
        ];
        both::<U>(two_bits::<U>(block, 32), high)
    }
    #[inline(always)]
    fn sub_scales<U: Unit>(block: &[u8; 110]) -> [U::Half; 2] {
        // Four bits of each scale are in eight bytes, two are in the four after them.
        let (a, b, top) = (word(block, 96), word(block, 100), word(block, 104));
        let four = |low: u32, shift: u32| low | (top >> shift & 0x0303_0303) << 4;
        let words = [
            four(a & 0x0F0F_0F0F, 0),
            four(b & 0x0F0F_0F0F, 2),
            four(a >> 4 & 0x0F0F_0F0F, 4),
            four(b >> 4 & 0x0F0F_0F0F, 6),
        ];
        let s = U::subtract(U::words(words), 32);
        [s, s]
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 110]) -> [U::Floats; 2] {
        let d = U::float16(*part(block, 108));
        [d, U::multiply(d, U::splat(4.0))]
    }
}

#[derive(Debug)]
pub struct Q4K;

impl SuperBlock<144> for Q4K {
    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 144]) -> [U::Bytes; 8] {
        four_bits::<U>(block, 16)
    }
    #[inline(always)]
    fn sub_scales<U: Unit>(block: &[u8; 144]) -> [U::Half; 2] {
        six_bits::<U>(block, 4)
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 144]) -> [U::Floats; 2] {
        [U::float16(*part(block, 0)), U::float16(*part(block, 2))]
    }
}

#[derive(Debug)]
pub struct Q5K;

impl SuperBlock<176> for Q5K {
    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 176]) -> [U::Bytes; 8] {
        let high = U::load(part(block, 16));
        // Bit `i` of a byte is the highest of the five bits of run `i`.
        let high = [
            U::left::<4>(high, 16),
            U::left::<3>(high, 16),
            U::left::<2>(high, 16),
            U::left::<1>(high, 16),
            U::right::<0>(high, 16),
            U::right::<1>(high, 16),
            U::right::<2>(high, 16),
            U::right::<3>(high, 16),
        ];
        both::<U>(four_bits::<U>(block, 48), high)
    }
    #[inline(always)]
    fn sub_scales<U: Unit>(block: &[u8; 176]) -> [U::Half; 2] {
        six_bits::<U>(block, 4)
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 176]) -> [U::Floats; 2] {
        [U::float16(*part(block, 0)), U::float16(*part(block, 2))]
    }
}

#[derive(Debug)]
pub struct Q6K;

/// The codes of 128 elements: four runs of 32, two in the low halves of 64 bytes and two in the high ones,
/// and the two highest bits of all of them in 32 bytes.
#[inline(always)]
fn half_of_six<U: Unit>(block: &[u8], low: usize, high: usize) -> [U::Bytes; 4] {
    let (a, b) = (U::load(part(block, low)), U::load(part(block, low + 32)));
    let high = U::load(part(block, high));
    [
        U::or(U::right::<0>(a, 15), U::left::<4>(high, 48)),
        U::or(U::right::<0>(b, 15), U::left::<2>(high, 48)),
        U::or(U::right::<4>(a, 15), U::right::<0>(high, 48)),
        U::or(U::right::<4>(b, 15), U::right::<2>(high, 48)),
    ]
}

impl SuperBlock<210> for Q6K {
    #[inline(always)]
    fn codes<U: Unit>(block: &[u8; 210]) -> [U::Bytes; 8] {
        let [a, b, c, d] = half_of_six::<U>(block, 0, 128);
        let [e, f, g, h] = half_of_six::<U>(block, 64, 160);
        [a, b, c, d, e, f, g, h]
    }
    #[inline(always)]
    fn sub_scales<U: Unit>(block: &[u8; 210]) -> [U::Half; 2] {
        let s = U::load_half(part(block, 192));
        [s, s]
    }
    #[inline(always)]
    fn scales<U: Unit>(block: &[u8; 210]) -> [U::Floats; 2] {
        let d = U::float16(*part(block, 208));
        [d, U::multiply(d, U::splat(32.0))]
    }
}
