use super::{is_finite, is_negative, magnitude, nan, opposite};
use cubecl::prelude::*;

/// Angle reduced to a quarter turn, as a sum of two numbers, and the number of quarter turns.
#[derive(CubeType, Clone)]
struct Angle {
    high: f64,
    low: f64,
    quarters: u32,
}

/// Word `at` of the binary digits of `2 / pi` after the point, after a word of zeros.
#[cube]
fn two_over_pi(at: u32) -> u64 {
    let word = select(at == 1u32, 0xa2f9_836e_4e44_1529u64, 0u64);
    let word = select(at == 2u32, 0xfc27_57d1_f534_ddc0u64, word);
    let word = select(at == 3u32, 0xdb62_9599_3c43_9041u64, word);
    let word = select(at == 4u32, 0xfe51_63ab_debb_c561u64, word);
    let word = select(at == 5u32, 0xb724_6e3a_424d_d2e0u64, word);
    let word = select(at == 6u32, 0x0649_2eea_09d1_921cu64, word);
    let word = select(at == 7u32, 0xfe1d_eb1c_b129_a73eu64, word);
    let word = select(at == 8u32, 0xe882_35f5_2ebb_4484u64, word);
    let word = select(at == 9u32, 0xe99c_7026_b45f_7e41u64, word);
    let word = select(at == 10u32, 0x3991_d639_8353_39f4u64, word);
    let word = select(at == 11u32, 0x9c84_5f8b_bdf9_283bu64, word);
    let word = select(at == 12u32, 0x1ff8_97ff_de05_980fu64, word);
    let word = select(at == 13u32, 0xef2f_118b_5a0a_6d1fu64, word);
    let word = select(at == 14u32, 0x6d36_7ecf_27cb_09b7u64, word);
    let word = select(at == 15u32, 0x4f46_3f66_9e5f_ea2du64, word);
    let word = select(at == 16u32, 0x7527_bac7_ebe5_f17bu64, word);
    let word = select(at == 17u32, 0x3d07_39f7_8a52_92eau64, word);
    let word = select(at == 18u32, 0x6bfb_5fb1_1f8d_5d08u64, word);
    select(at == 19u32, 0x5603_3046_fc7b_6babu64, word)
}

/// The upper half of `factor` times `x`, for factors below `2^53`.
#[cube]
fn upper_product(factor: u64, x: u64) -> u64 {
    let mask = 0xffff_ffffu64;
    let (above, below) = (factor >> 32u64, factor & mask);
    let (high, low) = (x >> 32u64, x & mask);
    let first = below * high + ((below * low) >> 32u64);
    let second = above * low + (first & mask);
    above * high + (first >> 32u64) + (second >> 32u64)
}

/// The angle of a positive number from `pi / 4` on (Payne and Hanek, 1983): `x = m 2^e` with an integer `m`,
/// so digits of `2 / pi` that stand for whole turns are left out, and 192 of those after them are
/// multiplied.
#[cube]
fn reduced(x: f64) -> Angle {
    let bits = u64::reinterpret(x);
    let field = u32::cast_from(bits >> 52u64);
    let field = select(field > 2046u32, 2046u32, field);
    let field = select(field < 1022u32, 1022u32, field);
    let factor = (bits & 0x000f_ffff_ffff_ffffu64) | 0x0010_0000_0000_0000u64;
    // The first digit that counts has the weight 2.
    let first = field - 1013u32;
    let (at, shift) = (first / 64u32, u64::cast_from(first % 64u32));
    let (a, b) = (two_over_pi(at), two_over_pi(at + 1u32));
    let (c, d) = (two_over_pi(at + 2u32), two_over_pi(at + 3u32));
    let back = 63u64 - shift;
    let digits0 = (a << shift) | ((b >> 1u64) >> back);
    let digits1 = (b << shift) | ((c >> 1u64) >> back);
    let digits2 = (c << shift) | ((d >> 1u64) >> back);
    let product = factor * digits1;
    let low = product + upper_product(factor, digits2);
    let carry = select(low < product, 1u64, 0u64);
    let high = factor * digits0 + upper_product(factor, digits1) + carry;
    // Two digits of quarters, then the fraction: of 126 digits, from -1/2 to 1/2.
    let fraction = (high << 2u64) | (low >> 62u64);
    let rest = low << 2u64;
    let below = (fraction >> 63u64) == 1u64;
    let quarters = u32::cast_from(high >> 62u64) + select(below, 1u32, 0u32);
    let borrow = select(rest == 0u64, 1u64, 0u64);
    let fraction = select(below, (fraction ^ 0xffff_ffff_ffff_ffffu64) + borrow, fraction);
    let rest = select(below, (rest ^ 0xffff_ffff_ffff_ffffu64) + 1u64, rest);
    // The first part has so few digits that its product with the first ones of pi/2 is exact.
    let above = f64::cast_from(fraction & 0xffff_ffff_0000_0000u64);
    let behind =
        f64::cast_from(fraction & 0xffff_ffffu64) + f64::cast_from(rest) * 5.421_010_862_427_522e-20f64;
    let main = above * 8.515_302_248_471_746e-20f64;
    let more = above * 1.701_744_640_659_256_5e-26f64 + behind * 8.515_303_950_216_386e-20f64;
    let high = f64::reinterpret(u64::reinterpret(main + more) & 0xffff_ffff_ffff_fffeu64);
    let low = (main - high) + more;
    Angle { high: select(below, opposite(high), high), low: select(below, opposite(low), low), quarters }
}

/// The angle of a positive number.
#[cube]
fn angle(x: f64) -> Angle {
    let far = reduced(x);
    let is_near = x <= 0.785_398_163_397_448_3f64;
    Angle {
        high: select(is_near, x, far.high),
        low: select(is_near, 0.0f64, far.low),
        quarters: select(is_near, 0u32, far.quarters),
    }
}

/// Sine of what is left.
#[cube]
fn sine(angle: &Angle) -> f64 {
    let (r, low) = (angle.high, angle.low);
    let z = r * r;
    let p = z * -8.220_635_246_624_33e-18f64 + 2.811_457_254_345_520_6e-15f64;
    let p = p * z - 7.647_163_731_819_816e-13f64;
    let p = p * z + 1.605_904_383_682_161_3e-10f64;
    let p = p * z - 2.505_210_838_544_172e-8f64;
    let p = p * z + 2.755_731_922_398_589_3e-6f64;
    let p = p * z - 0.000_198_412_698_412_698_4f64;
    let p = p * z + 0.008_333_333_333_333_333f64;
    let p = p * z - 0.166_666_666_666_666_66f64;
    r + (r * z * p + low * (1.0f64 - 0.5f64 * z))
}

/// Cosine of what is left.
#[cube]
fn cosine(angle: &Angle) -> f64 {
    let (r, low) = (angle.high, angle.low);
    let z = r * r;
    let p = z * -1.561_920_696_858_622_5e-16f64 + 4.779_477_332_387_385e-14f64;
    let p = p * z - 1.147_074_559_772_972_5e-11f64;
    let p = p * z + 2.087_675_698_786_81e-9f64;
    let p = p * z - 2.755_731_922_398_589e-7f64;
    let p = p * z + 2.480_158_730_158_73e-5f64;
    let p = p * z - 0.001_388_888_888_888_889f64;
    let p = p * z + 0.041_666_666_666_666_664f64;
    1.0f64 - (0.5f64 * z - (z * z * p - r * low))
}

/// Sine (`quadrant` 0) or cosine (`quadrant` 1) of a positive number.
#[cube]
fn sin_cos(x: f64, #[comptime] quadrant: u32) -> f64 {
    let angle = angle(x);
    let n = angle.quarters + quadrant;
    let value = select((n & 1u32) == 0u32, sine(&angle), cosine(&angle));
    let value = select((n & 2u32) == 0u32, value, opposite(value));
    select(is_finite(x), value, nan())
}

/// `value` with its sign turned where that of `x` is.
#[cube]
fn odd(value: f64, x: f64) -> f64 {
    select(is_negative(x), opposite(value), value)
}

#[cube]
pub fn sin(x: f64) -> f64 {
    odd(sin_cos(magnitude(x), 0u32), x)
}

#[cube]
pub fn cos(x: f64) -> f64 {
    sin_cos(magnitude(x), 1u32)
}

#[cube]
pub fn tan(x: f64) -> f64 {
    let angle = angle(magnitude(x));
    let (s, c) = (sine(&angle), cosine(&angle));
    let value = select((angle.quarters & 1u32) == 0u32, s / c, opposite(c) / s);
    odd(select(is_finite(x), value, nan()), x)
}
