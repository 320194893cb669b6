use super::{copy_sign, is_nan, magnitude, nan};
use cubecl::prelude::*;

/// `x - n pi/2` and `n`, computed in `f64`, so that the difference keeps its digits.
#[cube]
fn quarters(x: f32) -> (f64, u32) {
    let wide = f64::cast_from(x);
    let whole = (wide * 0.636_619_772_367_581_4f64 + 0.5f64).floor();
    // pi/2 in two parts, of which the first has so few bits that its product with n is exact.
    let rest = wide - whole * 1.570_796_310_901_641_8f64;
    let rest = rest - whole * 1.589_325_477_352_819_7e-8f64;
    let (far_rest, far) = quarters_far_out(x);
    let is_far = (u32::reinterpret(x) & 0x7fff_ffffu32) >= 0x4c80_0000u32;
    let near = u32::reinterpret(i32::cast_from(select(is_far, 0.0f64, whole)));
    (select(is_far, far_rest, rest), select(is_far, far, near))
}

/// Word `at` of the binary digits of `2 / pi` after the point.
#[cube]
fn two_over_pi(at: u32) -> u32 {
    let low = select(at == 0u32, 0xa2f9_836eu32, 0x4e44_1529u32);
    let low = select(at == 2u32, 0xfc27_57d1u32, low);
    let low = select(at == 3u32, 0xf534_ddc0u32, low);
    let high = select(at == 4u32, 0xdb62_9599u32, 0x3c43_9041u32);
    let high = select(at == 6u32, 0xfe51_63abu32, high);
    let high = select(at == 7u32, 0xdebb_c561u32, high);
    select(at < 4u32, low, high)
}

/// [`quarters`] from `2^26` on (Payne and Hanek, 1983): `x = m 2^e` with an integer `m`, so digits of `2 /
/// pi` that stand for whole turns are left out, and 96 of those after them are multiplied.
#[cube]
fn quarters_far_out(x: f32) -> (f64, u32) {
    let bits = u32::reinterpret(x);
    let field = (bits >> 23u32) & 255u32;
    // The first digit that counts has the weight 2.
    let first = select(field >= 153u32 && field < 255u32, field - 152u32, 0u32);
    let factor = u64::cast_from((bits & 0x007f_ffffu32) | 0x0080_0000u32);
    let (at, shift) = (first / 32u32, u64::cast_from(first % 32u32));
    let (a, b) = (u64::cast_from(two_over_pi(at)), u64::cast_from(two_over_pi(at + 1u32)));
    let (c, d) = (u64::cast_from(two_over_pi(at + 2u32)), u64::cast_from(two_over_pi(at + 3u32)));
    let mask = 0xffff_ffffu64;
    let upper = (((a << 32u64) | b) << shift) >> 32u64;
    let middle = ((((b << 32u64) | c) << shift) >> 32u64) & mask;
    let lower = ((((c << 32u64) | d) << shift) >> 32u64) & mask;
    let product = factor * ((upper << 32u64) | middle) + ((factor * lower) >> 32u64);
    // Two digits of quarters, then the fraction, as a number from -1/2 to 1/2.
    let fraction = i64::reinterpret(product << 2u64);
    let quarter = u32::cast_from(product >> 62u64) + select(fraction < 0i64, 1u32, 0u32);
    let rest = f64::cast_from(fraction) * 8.515_303_950_216_386e-20f64;
    let negative = (bits & 0x8000_0000u32) != 0u32;
    (select(negative, -rest, rest), select(negative, 0u32 - quarter, quarter))
}

/// Sine of `r`, `|r| <= pi / 4`.
#[cube]
fn sine(r: f64) -> f64 {
    let z = r * r;
    let p = -1.983_932_989_3e-4f64 + z * 2.718_311_493_989_822e-6f64;
    let p = -0.166_666_666_416_265_24f64 + z * (8.333_329_385_889_463e-3f64 + z * p);
    r + r * z * p
}

/// Cosine of `r`, `|r| <= pi / 4`.
#[cube]
fn cosine(r: f64) -> f64 {
    let z = r * r;
    let p = -1.388_676_377_460_993e-3f64 + z * 2.439_044_879_627_741e-5f64;
    let p = -0.499_999_997_251_031f64 + z * (4.166_662_332_373_906e-2f64 + z * p);
    1.0f64 + z * p
}

/// Sine (`quadrant` 0) or cosine (`quadrant` 1).
#[cube]
fn sin_cos(x: f32, #[comptime] quadrant: u32) -> f32 {
    let (r, n) = quarters(x);
    let n = n + quadrant;
    let value = select((n & 1u32) == 0u32, sine(r), cosine(r));
    let value = f32::cast_from(select((n & 2u32) == 0u32, value, -value));
    let finite = (u32::reinterpret(x) & 0x7f80_0000u32) != 0x7f80_0000u32;
    // The sign of a zero is lost above.
    let value = select(x == 0.0f32 && comptime!(quadrant == 0), x, value);
    select(finite, value, nan())
}

#[cube]
pub fn sin(x: f32) -> f32 {
    sin_cos(x, 0u32)
}

#[cube]
pub fn cos(x: f32) -> f32 {
    sin_cos(x, 1u32)
}

#[cube]
pub fn tan(x: f32) -> f32 {
    let (r, n) = quarters(x);
    let n = n & 1u32;
    let (s, c) = (sine(r), cosine(r));
    let value = f32::cast_from(select(n == 0u32, s / c, -c / s));
    let finite = (u32::reinterpret(x) & 0x7f80_0000u32) != 0x7f80_0000u32;
    select(finite, select(x == 0.0f32, x, value), nan())
}

/// Arc tangent of `x` in `[0, 1]`.
#[cube]
fn atan_of_ratio(x: f32) -> f32 {
    let upper = x > 0.414_213_57f32;
    let t = select(upper, (x - 1.0f32) / (x + 1.0f32), x);
    let z = t * t;
    let p = 8.053_744_5e-2f32 * z - 0.138_776_86f32;
    let p = p * z + 0.199_777_1f32;
    let p = p * z - 0.333_329_5f32;
    let low = select(upper, -2.185_569_5e-8f32, 0.0f32);
    let high = select(upper, 0.785_398_2f32, 0.0f32);
    high + (p * z * t + t + low)
}

#[cube]
pub fn atan(x: f32) -> f32 {
    let a = magnitude(x);
    let steep = a > 1.0f32;
    let t = atan_of_ratio(select(steep, 1.0f32 / a, a));
    let t = select(steep, 1.570_796_4f32 - (t + 4.371_139e-8f32), t);
    select(is_nan(x), x, copy_sign(t, x))
}

/// Angle of the point `(x, y)`.
#[cube]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (a, b) = (magnitude(y), magnitude(x));
    let small = select(a > b, b, a);
    let large = select(a > b, a, b);
    // Both infinite, or both zero.
    let equal = select(large == 0.0f32, 0.0f32, 1.0f32);
    // Some drivers divide by way of an inverse, which has to be neither subnormal nor infinite. What gets
    // lost here is of no size.
    let unit = select(large > 1.267_650_6e30f32, 5.960_464_5e-8f32, 1.0f32);
    let unit = select(large < 7.888_609e-31f32, 16_777_216.0f32, unit);
    let ratio = select(small == large, equal, (small * unit) / (large * unit));
    let t = atan_of_ratio(ratio);
    let t = select(a > b, 1.570_796_4f32 - (t + 4.371_139e-8f32), t);
    let left = (u32::reinterpret(x) & 0x8000_0000u32) != 0u32;
    let t = select(left, 3.141_592_7f32 - (t + 8.742_278e-8f32), t);
    select(is_nan(x) || is_nan(y), nan(), copy_sign(t, y))
}

/// Arc sine of `x` in `[0, 1/2]`, with its square.
#[cube]
fn asin_of_half(x: f32, z: f32) -> f32 {
    let p = 4.216_32e-2f32 * z + 2.418_131e-2f32;
    let p = p * z + 4.547_002_6e-2f32;
    let p = p * z + 7.495_300_3e-2f32;
    let p = p * z + 0.166_667_52f32;
    p * z * x + x
}

#[cube]
pub fn asin(x: f32) -> f32 {
    let a = magnitude(x);
    let outer = a > 0.5f32;
    let z = select(outer, 0.5f32 * (1.0f32 - a), a * a);
    let t = asin_of_half(select(outer, z.sqrt(), a), z);
    let t = select(outer, 1.570_796_4f32 - (2.0f32 * t + 4.371_139e-8f32), t);
    select(is_nan(x) || a > 1.0f32, nan(), copy_sign(t, x))
}

#[cube]
pub fn acos(x: f32) -> f32 {
    let a = magnitude(x);
    let outer = a > 0.5f32;
    let z = select(outer, 0.5f32 * (1.0f32 - a), a * a);
    let t = asin_of_half(select(outer, z.sqrt(), x), z);
    let far = select(x < 0.0f32, 3.141_592_7f32 - (2.0f32 * t + 8.742_278e-8f32), 2.0f32 * t);
    let result = select(outer, far, 1.570_796_4f32 - (t + 4.371_139e-8f32));
    select(is_nan(x) || a > 1.0f32, nan(), result)
}

/// The driver's, for devices without `f64`: good to a few digits for small angles.
#[cube]
pub fn native_sin(x: f32) -> f32 {
    x.sin()
}

/// As [`native_sin`].
#[cube]
pub fn native_cos(x: f32) -> f32 {
    x.cos()
}

/// As [`native_sin`].
#[cube]
pub fn native_tan(x: f32) -> f32 {
    x.tan()
}

/// Sine and cosine of `part / whole` turns, for `part < whole`.
#[cube]
pub fn turn(part: u32, whole: u32) -> (f32, f32) {
    // Eighths of a turn, so that what is left is at most pi / 4; nothing is rounded before.
    let scaled = u64::cast_from(part) * 8u64;
    let wide = u64::cast_from(whole);
    let eighth = u32::cast_from(scaled / wide);
    let quadrant = (eighth + 1u32) / 2u32;
    let distance = f64::cast_from(part) * 4.0f64 - f64::cast_from(quadrant) * f64::cast_from(whole);
    let r = distance / f64::cast_from(whole) * 1.5707963267948966f64;
    let (s, c) = (f32::cast_from(sine(r)), f32::cast_from(cosine(r)));
    let odd = (quadrant & 1u32) == 1u32;
    let (first, second) = (select(odd, c, s), select(odd, s, c));
    let up = (quadrant & 2u32) == 0u32;
    let right = ((quadrant + 1u32) & 2u32) == 0u32;
    (select(up, first, -first), select(right, second, -second))
}
