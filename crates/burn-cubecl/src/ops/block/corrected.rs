//! Quotients and square roots of `f32` on devices whose instructions are a few units off in the last place,
//! but fuse multiplication and addition. What a product leaves is then exact (Markstein, 1990): a step of
//! Newton's comes to the nearest number or one beside it, and the remainders of the three show which.
//!
//! Mantissa and exponent are separate meanwhile, so nothing overflows or underflows, and subnormals are
//! computed as other numbers, even by instructions that flush them. Zeros, infinities and NaN go through the
//! instruction, with 1 instead of each ordinary number.

use crate::ops::math::{copy_sign, infinity, magnitude, power_of_two};
use cubecl::prelude::*;

/// An operation that is rounded correctly by what a fused multiplication finds of its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Corrected {
    Quotient,
    Inverse,
    Root,
}

/// All bits of an `f32` but those of its digits and those of its exponent.
const DIGITS: u32 = 0x007f_ffff;
const ONE: u32 = 0x3f80_0000;

/// The magnitude of a finite number other than zero, as digits in `[1, 2)` and a power of two.
#[derive(CubeType, Clone, Copy)]
struct MantissaExponent {
    digits: f32,
    exponent: i32,
}

#[cube]
fn frexp(x: f32) -> MantissaExponent {
    let bits = u32::reinterpret(magnitude(x));
    // Subnormals are whole numbers of the smallest one.
    let is_small = bits <= DIGITS;
    let bits = select(is_small, u32::reinterpret(f32::cast_from(bits)), bits);
    let exponent = i32::cast_from(bits >> 23u32) - select(is_small, 276i32, 127i32);
    MantissaExponent { digits: f32::reinterpret((bits & DIGITS) | ONE), exponent }
}

/// Digits near 1, where the sign of `left` shows on which side the result is, by a power of two: the nearest
/// number.
#[cube]
fn together(digits: f32, left: f32, power: i32) -> f32 {
    let bits = u32::reinterpret(digits);
    let exponent = power + i32::cast_from(bits >> 23u32) - 127i32;
    let whole = (bits & DIGITS) | 0x0080_0000u32;
    let normal =
        (u32::cast_from(select(exponent < -126i32, 1i32, exponent + 127i32)) << 23u32) | (bits & DIGITS);
    // Two more digits hold the remainder after the last one, and as many are rounded away as subnormals have
    // not.
    let beside = select(left > 0.0f32, 1i32, select(left < 0.0f32, -1i32, 0i32));
    let exact = u32::cast_from(i32::cast_from(whole << 2u32) + beside);
    let missing = -126i32 - exponent;
    let count = u32::cast_from(select(missing < 1i32, 1i32, select(missing > 25i32, 25i32, missing))) + 2u32;
    let last = (exact >> count) & 1u32;
    let small = (exact + (1u32 << (count - 1u32)) - 1u32 + last) >> count;
    let size = f32::reinterpret(select(exponent < -126i32, small, normal));
    select(exponent > 127i32, infinity(), size)
}

/// Whether `x` is neither zero nor infinite, and a number.
#[cube]
fn is_common(x: f32) -> bool {
    let bits = u32::reinterpret(magnitude(x));
    bits > 0u32 && bits < 0x7f80_0000u32
}

/// The next number in the direction of `by`, 1 or -1, from a positive one.
#[cube]
fn beside(x: f32, #[comptime] by: i32) -> f32 {
    f32::reinterpret(i32::reinterpret(x) + by)
}

/// `x / y`.
#[cube]
pub fn quotient(x: f32, y: f32) -> f32 {
    let (above, below) = (frexp(x), frexp(y));
    let near = above.digits / below.digits;
    let near = fma(fma(-below.digits, near, above.digits), 1.0f32 / below.digits, near);
    let (less, more) = (beside(near, -1), beside(near, 1));
    let left = magnitude(fma(-below.digits, near, above.digits));
    let nearest = select(magnitude(fma(-below.digits, less, above.digits)) < left, less, near);
    let nearest = select(magnitude(fma(-below.digits, more, above.digits)) < left, more, nearest);
    let left = fma(-below.digits, nearest, above.digits);
    let size = together(nearest, left, above.exponent - below.exponent);
    let sign = f32::reinterpret(u32::reinterpret(x) ^ u32::reinterpret(y));
    let of_x = select(is_common(x), copy_sign(1.0f32, x), x);
    let of_y = select(is_common(y), copy_sign(1.0f32, y), y);
    select(is_common(x) && is_common(y), copy_sign(size, sign), of_x / of_y)
}

/// The square root of `x`.
#[cube]
pub fn root(x: f32) -> f32 {
    let parts = frexp(x);
    let half = parts.exponent >> 1i32;
    let square = parts.digits * power_of_two(parts.exponent - half - half);
    let near = square.sqrt();
    let near = fma(fma(-near, near, square), 0.5f32 / near, near);
    // The root is beyond the middle to a number beside where the product of both is (Tuckerman's test).
    let (less, more) = (beside(near, -1), beside(near, 1));
    let nearest = select(fma(-near, less, square) <= 0.0f32, less, near);
    let nearest = select(fma(-near, more, square) > 0.0f32, more, nearest);
    let other = select(is_common(x), copy_sign(1.0f32, x), x).sqrt();
    select(is_common(x) && x > 0.0f32, nearest * power_of_two(half), other)
}

#[cfg(test)]
mod tests {
    use super::{DIGITS, ONE};

    /// Returns the result of an instruction that is off by `by` units in the last place.
    fn off(x: f32, by: i32) -> f32 {
        f32::from_bits(x.to_bits().wrapping_add_signed(by))
    }

    /// As the kernel, also below.
    fn frexp(x: f32) -> (f32, i32) {
        let bits = x.abs().to_bits();
        let is_small = bits <= DIGITS;
        let bits = if is_small { (bits as f32).to_bits() } else { bits };
        (f32::from_bits(bits & DIGITS | ONE), (bits >> 23) as i32 - if is_small { 276 } else { 127 })
    }

    fn together(digits: f32, left: f32, power: i32) -> f32 {
        let bits = digits.to_bits();
        let exponent = power + (bits >> 23) as i32 - 127;
        let beside = i32::from(left > 0.0) - i32::from(left < 0.0);
        let exact = (((bits & DIGITS | 0x0080_0000) << 2) as i32 + beside) as u32;
        let count = (-126 - exponent).clamp(1, 25) as u32 + 2;
        let small = (exact + (1 << (count - 1)) - 1 + (exact >> count & 1)) >> count;
        match exponent {
            128.. => f32::INFINITY,
            -126.. => f32::from_bits(((exponent + 127) as u32) << 23 | bits & DIGITS),
            _ => f32::from_bits(small),
        }
    }

    /// With instructions that are `by` off.
    fn quotient(x: f32, y: f32, by: i32) -> f32 {
        let ((above, high), (below, low)) = (frexp(x), frexp(y));
        let near = off(above / below, by);
        let near = (-below).mul_add(near, above).mul_add(off(1.0 / below, by), near);
        let left = |quotient: f32| (-below).mul_add(quotient, above).abs();
        let (less, more) = (off(near, -1), off(near, 1));
        let nearest = if left(less) < left(near) { less } else { near };
        let nearest = if left(more) < left(near) { more } else { nearest };
        together(nearest, (-below).mul_add(nearest, above), high - low).copysign(x * y.signum())
    }

    fn root(x: f32, by: i32) -> f32 {
        let (digits, power) = frexp(x);
        let half = power >> 1;
        let square = digits * 2_f32.powi(power - 2 * half);
        let near = off(square.sqrt(), by);
        let near = (-near).mul_add(near, square).mul_add(off(0.5 / near, -by), near);
        let (less, more) = (off(near, -1), off(near, 1));
        let nearest = if (-near).mul_add(less, square) <= 0.0 { less } else { near };
        let nearest = if (-near).mul_add(more, square) > 0.0 { more } else { nearest };
        nearest * 2_f32.powi(half)
    }

    #[test]
    fn quotients_are_the_nearest_numbers() {
        let number = |k: u32| f32::from_bits(0x3f80_0000 | (k.wrapping_mul(2_654_435_769) >> 9));
        let edges = [0x3f80_0000, 0x3f80_0001, 0x3fff_ffff, 0x3fff_fffe, 0x3fc0_0000].map(f32::from_bits);
        for k in 0..100_000 {
            for by in -3..=3 {
                let (x, y) = (number(2 * k), number(2 * k + 1));
                assert_eq!(quotient(x, y, by), x / y, "{x} / {y}, {by}");
                for edge in edges {
                    assert_eq!(quotient(edge, y, by), edge / y, "{edge} / {y}, {by}");
                    assert_eq!(quotient(x, edge, by), x / edge, "{x} / {edge}, {by}");
                }
            }
        }
    }

    #[test]
    fn quotients_are_the_nearest_numbers_of_all_sizes() {
        let number = |k: u32| f32::from_bits(k.wrapping_mul(2_654_435_769));
        let edges =
            [1, 2, 3, 0x7f_ffff, 0x80_0000, 0x80_0001, 0x7f7f_ffff, 0x7f00_0000, 0x3f80_0000, 0xff_ffff];
        let common = |x: f32| x.is_finite() && x != 0.0;
        for x in (0..1_000_000).map(number).filter(|&x| common(x)) {
            let k = x.to_bits() >> 5;
            let others = edges.map(f32::from_bits).into_iter().chain([number(k), number(k + 1)]);
            for y in others.filter(|&y| common(y)) {
                assert_eq!(quotient(x, y, 1).to_bits(), (x / y).to_bits(), "{x:e} / {y:e}");
                assert_eq!(quotient(y, x, -1).to_bits(), (y / x).to_bits(), "{y:e} / {x:e}");
            }
        }
    }

    #[test]
    fn roots_are_the_nearest_numbers() {
        // A third of the numbers of [1, 4), and some of all sizes.
        let near = (0x3f80_0000..0x4080_0000_u32).step_by(3);
        let all = (1..0x7f80_0000_u32).step_by(4_099).chain(1..5_000).chain(0x7f_f000..0x80_1000);
        for bits in near.chain(all) {
            let x = f32::from_bits(bits);
            for by in [-3, -1, 2] {
                assert_eq!(root(x, by), x.sqrt(), "root of {x}, {by}");
            }
        }
    }
}
