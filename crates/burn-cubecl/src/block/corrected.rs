//! Quotients and square roots of `f32` on devices whose instructions are a few units off in the last place, but fuse
//! multiplication and addition. What a product leaves is then exact (Markstein, 1990): a step of Newton's comes to the nearest
//! number or one beside it, and what is left by the three tells which.
//!
//! Digits and exponents are apart meanwhile, so nothing is too large or too small. Where an operand or the result is special
//! or not normal, the result is the instruction's.

use crate::math::{copy_sign, magnitude, power_of_two};
use cubecl::prelude::*;

/// `x` as a number in `[1, 2)`.
#[cube]
fn digits(x: f32) -> f32 {
    f32::reinterpret((u32::reinterpret(x) & 0x807f_ffffu32) | 0x3f80_0000u32)
}

/// The power of two below `x`, from -127 for 0 to 128 for infinity.
#[cube]
fn exponent(x: f32) -> i32 {
    i32::cast_from(u32::reinterpret(magnitude(x)) >> 23u32) - 127i32
}

#[cube]
fn is_normal(exponent: i32) -> bool {
    exponent > -127i32 && exponent < 128i32
}

/// The next number in the direction of `by`, 1 or -1, from a positive one.
#[cube]
fn beside(x: f32, #[comptime] by: i32) -> f32 {
    f32::reinterpret(i32::reinterpret(x) + by)
}

/// `x / y`.
#[cube]
pub fn quotient(x: f32, y: f32) -> f32 {
    let (above, below) = (magnitude(digits(x)), magnitude(digits(y)));
    let near = above / below;
    let near = fma(fma(-below, near, above), 1.0f32 / below, near);
    let (less, more) = (beside(near, -1), beside(near, 1));
    let left = magnitude(fma(-below, near, above));
    let nearest = select(magnitude(fma(-below, less, above)) < left, less, near);
    let nearest = select(magnitude(fma(-below, more, above)) < left, more, nearest);
    let (high, low) = (exponent(x), exponent(y));
    let shift = high - low;
    // The digits' quotient may be as small as a half.
    let is_safe = is_normal(high) && is_normal(low) && shift > -126i32 && shift < 127i32;
    let size = nearest * power_of_two(select(is_safe, shift, 0i32));
    let sign = f32::reinterpret(u32::reinterpret(x) ^ u32::reinterpret(y));
    select(is_safe, copy_sign(size, sign), x / y)
}

/// The square root of `x`.
#[cube]
pub fn root(x: f32) -> f32 {
    let power = exponent(x);
    let half = power >> 1i32;
    let square = digits(x) * power_of_two(power - half - half);
    let near = square.sqrt();
    let near = fma(fma(-near, near, square), 0.5f32 / near, near);
    // The root is beyond the middle to a number beside where the product of both is (Tuckerman's test).
    let (less, more) = (beside(near, -1), beside(near, 1));
    let nearest = select(fma(-near, less, square) <= 0.0f32, less, near);
    let nearest = select(fma(-near, more, square) > 0.0f32, more, nearest);
    select(x > 0.0f32 && is_normal(power), nearest * power_of_two(half), x.sqrt())
}

#[cfg(test)]
mod tests {
    /// What an instruction that is a few units off may say.
    fn off(x: f32, by: i32) -> f32 {
        f32::from_bits(x.to_bits().wrapping_add_signed(by))
    }

    /// As the kernel: digits in `[1, 2)`, and instructions that are `by` off.
    fn quotient(above: f32, below: f32, by: i32) -> f32 {
        let near = off(above / below, by);
        let near = (-below).mul_add(near, above).mul_add(off(1.0 / below, by), near);
        let left = |quotient: f32| (-below).mul_add(quotient, above).abs();
        let (less, more) = (off(near, -1), off(near, 1));
        let nearest = if left(less) < left(near) { less } else { near };
        if left(more) < left(near) { more } else { nearest }
    }

    fn root(square: f32, by: i32) -> f32 {
        let near = off(square.sqrt(), by);
        let near = (-near).mul_add(near, square).mul_add(off(0.5 / near, -by), near);
        let (less, more) = (off(near, -1), off(near, 1));
        let nearest = if (-near).mul_add(less, square) <= 0.0 { less } else { near };
        if (-near).mul_add(more, square) > 0.0 { more } else { nearest }
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
    fn roots_are_the_nearest_numbers() {
        // A third of the numbers of [1, 4).
        for bits in (0x3f80_0000..0x4080_0000_u32).step_by(3) {
            let x = f32::from_bits(bits);
            for by in [-3, -1, 2] {
                assert_eq!(root(x, by), x.sqrt(), "root of {x}, {by}");
            }
        }
    }
}
