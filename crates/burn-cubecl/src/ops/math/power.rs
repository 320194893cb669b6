use super::{copy_sign, exp, infinity, is_nan, log, magnitude, nan};
use cubecl::prelude::*;

/// `x^y` for positive finite `x` and finite `y`: `2^(y log2(x))` in `f64`.
#[cube]
fn power_of_positive(x: f32, y: f32) -> f32 {
    // x = 2^k m with m in [sqrt(1/2), sqrt(2)); log(m) = 2 artanh((m - 1) / (m + 1)).
    let bits = u64::reinterpret(f64::cast_from(x)) - 0x3fe6_a09e_667f_3bcdu64;
    let k = i64::reinterpret(bits) >> 52i64;
    let m = f64::reinterpret((bits & 0x000f_ffff_ffff_ffffu64) + 0x3fe6_a09e_667f_3bcdu64);
    let s = (m - 1.0f64) / (m + 1.0f64);
    let z = s * s;
    let p = z * 0.07692307692307693f64 + 0.09090909090909091f64;
    let p = p * z + 0.1111111111111111f64;
    let p = p * z + 0.14285714285714285f64;
    let p = p * z + 0.2f64;
    let p = p * z + 0.3333333333333333f64;
    let p = p * z + 1.0f64;
    let log2 = f64::cast_from(k) + 2.8853900817779268f64 * s * p;
    let exponent = f64::cast_from(y) * log2;
    // Far beyond both ends of f32.
    let exponent = select(exponent > 300.0f64, 300.0f64, exponent);
    let exponent = select(exponent < -300.0f64, -300.0f64, exponent);
    let whole = (exponent + 0.5f64).floor();
    let r = (exponent - whole) * 0.6931471805599453f64;
    let p = r * 2.48015873015873e-05f64 + 0.0001984126984126984f64;
    let p = p * r + 0.001388888888888889f64;
    let p = p * r + 0.008333333333333333f64;
    let p = p * r + 0.041666666666666664f64;
    let p = p * r + 0.16666666666666666f64;
    let p = p * r + 0.5f64;
    let p = p * r + 1.0f64;
    let p = p * r + 1.0f64;
    let n = u64::reinterpret(i64::cast_from(whole) + 1023i64) << 52u64;
    f32::cast_from(p * f64::reinterpret(n))
}

/// `x^y` as IEEE 754 says.
#[cube]
pub fn pow(x: f32, y: f32) -> f32 {
    let a = magnitude(x);
    let b = magnitude(y);
    let plain = power_of_positive(
        select(a == 0.0f32 || a >= infinity(), 1.0f32, a),
        select(b >= infinity(), 1.0f32, y),
    );
    let whole = b >= 8_388_608.0f32 || y == y.trunc();
    let half = y * 0.5f32;
    let odd = whole && b < 16_777_216.0f32 && half != half.trunc();
    // A base of zero or infinity, or an infinite exponent.
    let grows = (a > 1.0f32) == (y > 0.0f32);
    let limit = select(grows, infinity(), 0.0f32);
    let edge = a == 0.0f32 || a >= infinity();
    let result = select(edge || (b >= infinity() && a != 1.0f32), limit, plain);
    let result = select(b >= infinity() && a == 1.0f32, 1.0f32, result);
    let negative = (u32::reinterpret(x) & 0x8000_0000u32) != 0u32;
    let result = select(negative && odd, -result, result);
    let result = select(x < 0.0f32 && a < infinity() && b < infinity() && !whole, nan(), result);
    let result = select(is_nan(x) || is_nan(y), nan(), result);
    select(x == 1.0f32 || y == 0.0f32, 1.0f32, result)
}

/// `sqrt(x^2 + y^2)` without overflow on the way.
#[cube]
pub fn length(x: f32, y: f32) -> f32 {
    let (a, b) = (magnitude(x), magnitude(y));
    let (wide, high) = (f64::cast_from(a), f64::cast_from(b));
    let result = f32::cast_from((wide * wide + high * high).sqrt());
    let result = select(is_nan(x) || is_nan(y), nan(), result);
    let inf = u32::reinterpret(a) == 0x7f80_0000u32 || u32::reinterpret(b) == 0x7f80_0000u32;
    select(inf, infinity(), result)
}

/// Computes the exact remainder of division rounded toward zero, digit by digit of the quotient.
#[cube]
pub fn fmod(x: f32, y: f32) -> f32 {
    let divisor = f64::cast_from(magnitude(y));
    let mut rest = f64::cast_from(magnitude(x));
    let bad = is_nan(x) || is_nan(y) || y == 0.0f32 || magnitude(x) >= infinity();
    if !bad && magnitude(y) < infinity() {
        // Each step takes some 28 bits off the quotient, whose products with the divisor are exact.
        while rest >= divisor {
            let quotient = rest / divisor;
            let bits = u64::reinterpret(quotient);
            let short = f64::reinterpret(bits & 0xffff_ffff_e000_0000u64);
            let short = short.trunc();
            let product = short * divisor;
            // Rounding may have made the quotient too large: the next smaller one then.
            let below = f64::reinterpret(u64::reinterpret(short) - 0x2000_0000u64).trunc();
            rest -= select(product > rest, below * divisor, product);
        }
    }
    select(bad, nan(), copy_sign(f32::cast_from(rest), x))
}

/// Computes the remainder of division rounded down: the sign follows `y`.
#[cube]
pub fn remainder(x: f32, y: f32) -> f32 {
    let rest = fmod(x, y);
    let other_side = rest != 0.0f32 && ((rest < 0.0f32) != (y < 0.0f32));
    select(other_side, rest + y, rest)
}

/// `x^y` for devices without `f64`: logarithm and exponential of `f32`, whose errors grow with the exponent.
#[cube]
pub fn native_pow(x: f32, y: f32) -> f32 {
    let whole = y == y.trunc();
    let half = y * 0.5f32;
    let result = exp(y * log(magnitude(x)));
    let result = select(x < 0.0f32 && half != half.trunc(), -result, result);
    let result = select(x < 0.0f32 && !whole, nan(), result);
    select(x == 1.0f32 || y == 0.0f32, 1.0f32, result)
}

/// [`length`] for devices without `f64`.
#[cube]
pub fn narrow_length(x: f32, y: f32) -> f32 {
    let (a, b) = (magnitude(x), magnitude(y));
    let large = select(a > b, a, b);
    let ratio = select(a > b, b, a) / select(large == 0.0f32, 1.0f32, large);
    large * (1.0f32 + ratio * ratio).sqrt()
}

/// [`fmod`] for devices without `f64`: right where the quotient is below `2^24`.
#[cube]
pub fn narrow_fmod(x: f32, y: f32) -> f32 {
    x - (x / y).trunc() * y
}

/// [`remainder`] for devices without `f64`.
#[cube]
pub fn narrow_remainder(x: f32, y: f32) -> f32 {
    let rest = narrow_fmod(x, y);
    let other_side = rest != 0.0f32 && ((rest < 0.0f32) != (y < 0.0f32));
    select(other_side, rest + y, rest)
}
