use super::exponential::scaled;
use super::{copy_sign, infinity, is_nan, magnitude, nan};
use cubecl::prelude::*;

/// The digits of a positive finite number as an integer, and the exponent of its last one, from 0.
#[cube]
fn digits(x: f64) -> (u64, u32) {
    let bits = u64::reinterpret(x);
    let field = u32::cast_from(bits >> 52u64);
    let fraction = bits & 0x000f_ffff_ffff_ffffu64;
    let is_normal = field > 0u32;
    (select(is_normal, fraction | 0x0010_0000_0000_0000u64, fraction), select(is_normal, field - 1u32, 0u32))
}

/// Computes the exact remainder of division rounded toward zero, in integers, some digits of the quotient at
/// a time.
#[cube]
pub fn fmod(x: f64, y: f64) -> f64 {
    let (a, b) = (magnitude(x), magnitude(y));
    let bad = is_nan(x) || is_nan(y) || b == 0.0f64 || a >= infinity();
    let mut result = a + 0.0f64;
    if !bad && b < infinity() && a >= b {
        let (from, top) = digits(a);
        let (divisor, last) = digits(b);
        let mut rest = from % divisor;
        let mut left = top - last;
        while left > 0u32 {
            let step = select(left < 11u32, left, 11u32);
            rest = (rest << u64::cast_from(step)) % divisor;
            left -= step;
        }
        result = scaled(f64::cast_from(rest), i32::reinterpret(last) - 1074i32);
    }
    select(bad, nan(), copy_sign(result, x))
}

/// Computes the remainder of division rounded down: the sign follows `y`.
#[cube]
pub fn remainder(x: f64, y: f64) -> f64 {
    let rest = fmod(x, y);
    let other_side = rest != 0.0f64 && ((rest < 0.0f64) != (y < 0.0f64));
    select(other_side, rest + y, rest)
}
